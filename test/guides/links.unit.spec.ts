import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { repositoryRoot } from '@stave/testing';

const root = repositoryRoot();
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

/** Returns the anchors of a page's headings as GitHub generates them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = textOf(page).matchAll(/^#+ (.+)$/gm);
  const anchor = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
  return new Set([...headings].map(([, heading = '']) => anchor(heading)));
}

/** Returns the links of a page to a file that does not exist, or to a heading that its page does not have. */
function deadLinks(page: string): readonly string[] {
  const links = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter(link => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : normalize(join(dirname(page), path));
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor);
  });
}

it('pages of the docs link only to existing files and headings', () => {
  expect(pages.length).toBeGreaterThan(30);
  expect(pages.flatMap(page => deadLinks(page).map(link => `${page}: ${link}`))).toEqual([]);
});

it('docs/index.md links to every page of the docs except the decisions and the templates of generated pages', () => {
  const index = textOf('docs/index.md');
  const unlisted = pages.filter(page => /^docs\/[a-z-]+\//.test(page) && !/^docs\/adr\/|\[name\]/.test(page));
  expect(unlisted.filter(page => !index.includes(`](${page.slice('docs/'.length)}`))).toEqual([]);
});
