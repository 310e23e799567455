/** Telling somebody who looks elsewhere: notifications, if they want them, and a mark on the tab's icon. */
import { kept } from '../kept.svelte';
import { live } from '../live.svelte';
import { linkTo } from '../router.svelte';
import { lastPart, oneLine } from '../text';
import type { Item } from './item.svelte';
import { queue } from './queue.svelte';

const wanted = kept('notifications', false);

class Telling {
  /** What the browser allows. Without notifications there (a plain address of another machine), nothing. */
  allowed: NotificationPermission | 'impossible' = $state('impossible');
  #shown = new Map<number, Notification>();

  constructor() {
    if ('Notification' in window && window.isSecureContext) this.allowed = Notification.permission;
    queue.onNew((item) => this.#tell(item));
    $effect.root(() => {
      $effect(() => this.#closeOld(live.asks));
      $effect(() => showCount(queue.count));
    });
  }

  get on(): boolean {
    return wanted.is && this.allowed === 'granted';
  }

  /** Only ever called by a button: browsers ask the person, and remember a no. */
  async enable(): Promise<void> {
    this.allowed = await Notification.requestPermission();
    wanted.is = this.allowed === 'granted';
  }

  disable(): void {
    wanted.is = false;
  }

  #tell(item: Item): void {
    if (!this.on || item.muted || document.hasFocus()) return;
    const card = live.agents.get(item.short.agent_id);
    const title = card ? `${oneLine(card.name, 60)} · ${oneLine(lastPart(card.cwd), 40)}` : 'Turnkeeper';
    // What exactly it wants to do stays on the page: notifications are read over shoulders.
    const shown = this.#show(title, oneLine(item.short.title, 120), `turnkeeper-ask-${item.id}`);
    if (!shown) return;
    shown.onclick = () => {
      window.focus();
      location.hash = linkTo.ask(item.id);
      shown.close();
    };
    this.#shown.set(item.id, shown);
  }

  #show(title: string, body: string, tag: string): Notification | undefined {
    try {
      return new Notification(title, { body, tag });
    } catch {
      this.allowed = 'impossible'; // Some phones let only installed pages notify.
      return undefined;
    }
  }

  #closeOld(asks: ReadonlyMap<number, unknown>): void {
    for (const [id, shown] of this.#shown) {
      if (asks.has(id)) continue;
      shown.close();
      this.#shown.delete(id);
    }
  }
}

const plainIcon = iconLink()?.getAttribute('href') ?? '';

function iconLink(): HTMLLinkElement | null {
  return document.querySelector('link[rel=icon]');
}

/** The number on the tab's icon; the title has it in words. */
function showCount(count: number): void {
  iconLink()?.setAttribute('href', count ? numbered(count) : plainIcon);
}

function numbered(count: number): string {
  const words = count > 9 ? '9+' : String(count);
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1f4fd8"/>' +
    '<path d="M5 5h14v4h-5v12h-4V9H5z" fill="#fff"/><circle cx="21.500" cy="21.500" r="10.500" fill="#ffc857"/>' +
    `<text x="21.500" y="26.500" font-family="sans-serif" font-size="14" font-weight="700" text-anchor="middle">${words}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

export const telling = new Telling();
