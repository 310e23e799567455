/**
 * Single keys, for those who do not reach for the mouse. They are silent while somebody types, and
 * while a dialog or a menu is open.
 *
 *   $effect(() => onKeys({ '/': () => filter.focus() }));
 */
type Keys = Record<string, (event: KeyboardEvent) => void>;

const layers: Keys[] = [];

export function onKeys(keys: Keys): () => void {
  layers.push(keys);
  return () => {
    const at = layers.indexOf(keys);
    if (at >= 0) layers.splice(at, 1);
  };
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=radio], [type=checkbox]), textarea, select'))
  );
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
  if (document.querySelector('dialog[open], [popover]:popover-open')) return;
  const layer = layers.findLast((keys) => keys[event.key]);
  if (!layer) return;
  event.preventDefault();
  layer[event.key]?.(event);
});
