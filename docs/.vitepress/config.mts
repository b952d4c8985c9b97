import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { siteLinks } from './links.mts';
import { pageOf } from './pages.mts';
import { sidebar } from './sidebar.mts';

const packaged = (path: string): string => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

/**
 * The site of the documentation, served below `/help` by the gateway and by `npm run docs`. Its source is the whole repository, because
 * pages link to the README files of drivers and of the repository.
 */
export default defineConfig({
  title: 'Stave',
  description: 'Control plane for fleets of container clusters',
  base: '/help/',
  srcDir: '..',
  srcExclude: ['**/node_modules/**', '**/dist/**', 'docs/.vitepress/**', 'libs/drivers/sdk/scaffold/**'],
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress-cache',
  rewrites: pageOf,
  lastUpdated: false,
  metaChunk: true,
  head: [['link', { rel: 'icon', href: '/console/mark.svg' }]],
  markdown: { config: siteLinks },
  // Pages lie outside the directory with the packages: their code finds Vue here.
  vite: {
    resolve: {
      alias: [
        { find: /^vue\/server-renderer$/, replacement: packaged('vue/server-renderer/index.mjs') },
        { find: /^vue$/, replacement: packaged('vue/dist/vue.runtime.esm-bundler.js') },
      ],
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: sidebar(),
    nav: [
      { component: 'OutsideLink', props: { text: 'Console', href: '/console/' } },
      { component: 'OutsideLink', props: { text: 'API', href: '/docs' } },
    ],
    outline: [2, 3],
  },
});
