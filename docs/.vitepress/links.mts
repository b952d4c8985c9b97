import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MarkdownEnv, MarkdownRenderer } from 'vitepress';
import { pageOf } from './pages.mts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const isRelative = (href: string): boolean => !/^(?:[a-z]+:|\/|#)/i.test(href);

/**
 * Makes relative links of the Markdown files into links of the site: a file of Markdown is a page; a directory of pages has none and
 * a source file is not on the site, so they are shown as text. Nothing becomes a picture of a face: patterns and requests are full of colons.
 */
export function siteLinks(markdown: MarkdownRenderer): void {
  markdown.disable('emoji', true);
  markdown.core.ruler.push('site-links', state => {
    const { path, realPath = path } = state.env as MarkdownEnv;
    const from = posix.dirname(realPath.slice(repository.length));
    for (const { children } of state.tokens) {
      let isText = false;
      for (const token of children ?? []) {
        const href = token.type === 'link_open' ? String(token.attrGet('href')) : '';
        if (href !== '' && isRelative(href)) {
          const [target = '', anchor] = href.split('#');
          const file = posix.join(from, target);
          if (file.endsWith('.md')) token.attrSet('href', `/${pageOf(file)}${anchor ? `#${anchor}` : ''}`);
          else {
            isText = true;
            token.type = 'html_inline';
            token.content = `<span class="source" title="${file.replaceAll('"', '&quot;')}">`;
          }
        } else if (isText && token.type === 'link_close') {
          isText = false;
          token.type = 'html_inline';
          token.content = '</span>';
        }
      }
    }
  });
}
