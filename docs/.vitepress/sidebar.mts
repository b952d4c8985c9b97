import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { DefaultTheme } from 'vitepress';
import { apiTags } from './api-pages.mts';
import { eventResources } from './event-pages.mts';
import { pageOf } from './pages.mts';

const index = new URL('../index.md', import.meta.url);
const LINK = /\[([^\]]+)\]\(([^)]+\.md)\)/g;

const generated = (text: string, directory: string, names: readonly string[]): DefaultTheme.SidebarItem => ({
  text,
  collapsed: true,
  items: [...names, 'schemas'].map(name => ({ text: name, link: `/reference/${directory}/${name}` })),
});

/** The sidebar has the sections of docs/index.md with the pages that they name, in the same order, and then the generated pages. */
export function sidebar(): DefaultTheme.SidebarItem[] {
  return [
    ...writtenSections(),
    generated('REST API', 'api', apiTags()),
    generated('Types of events', 'event-types', eventResources()),
  ];
}

function writtenSections(): DefaultTheme.SidebarItem[] {
  return readFileSync(index, 'utf8')
    .split(/^## /m)
    .slice(1)
    .map(section => {
      const [text = '', ...lines] = section.split('\n');
      const items = [...lines.join('\n').matchAll(LINK)].map(([, title = '', file = '']) => ({
        text: title.charAt(0).toUpperCase() + title.slice(1),
        link: `/${pageOf(posix.join('docs', file))}`,
      }));
      return { text, collapsed: true, items };
    });
}
