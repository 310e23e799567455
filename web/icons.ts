import type { PreprocessorGroup } from 'svelte/compiler';

interface IconData {
  node: [tag: string, attributes: Record<string, string>][];
}

/**
 * Lucide's icons as plain markup. Its own component puts each together in the browser, line by line, which
 * was two fifths of what a card of the board costs. Of its settings `size` and `strokeWidth` are left.
 */
export const plainIcons: PreprocessorGroup = {
  name: 'plain-icons',
  markup({ content, filename }) {
    if (!filename?.includes('@lucide/svelte/dist/icons/')) return;
    const data = /const iconData = (.*);/.exec(content)?.[1];
    if (!data) throw new Error(`${filename} is not written as Lucide's icons were: see web/icons.ts`);
    return { code: component(JSON.parse(data) as IconData) };
  },
};

function component({ node }: IconData): string {
  const lines = node.map(([tag, attributes]) => `<${tag} ${written(attributes)} />`).join('');
  return `<script>let { size = 24, strokeWidth = 2 } = $props();</script>
<svg class="lucide-icon" width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor"
  stroke-width={strokeWidth} stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${lines}</svg>`;
}

function written(attributes: Record<string, string>): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}="${value}"`)
    .join(' ');
}
