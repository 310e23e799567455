import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';
import { plainIcons } from './icons.ts';

/** Nothing is painted before the script has run, so that nobody sees an empty page or a wrong theme. */
function paintedWhole(): Plugin {
  return {
    name: 'painted-whole',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => html.replace('<script type="module"', '<script blocking="render" type="module"'),
    },
  };
}

export default defineConfig({
  plugins: [svelte({ preprocess: plainIcons }), paintedWhole()],
  publicDir: false,
  build: {
    outDir: '../src/turnkeeper/surfaces/http/page',
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
