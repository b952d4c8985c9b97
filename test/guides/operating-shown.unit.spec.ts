import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';

const root = repositoryRoot();
const operate = join(root, 'docs', 'operate');
const page = readFileSync(join(root, 'docs', 'contribute', 'operating-shown.md'), 'utf8');

/** Returns the first line of each block of a page, but for requests, which a test sends. */
function blocksOf(name: string): readonly string[] {
  const text = readFileSync(join(operate, name), 'utf8');
  const blocks = [...text.matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```$/gm)].filter(([, language]) => language !== 'http');
  return blocks.map(([, , content = '']) => (content.split('\n')[0] ?? '').trim());
}

/** The rows of the table of blocks: a page, and how a block of it begins. */
const rows = [...page.matchAll(/^\| `([\w-]+\.md)` +\| `([^`]+)` +\|/gm)].map(([, name = '', begin = '']) => ({
  name,
  begin,
}));

describe('docs/contribute/operating-shown.md', () => {
  it('names files that are there', () => {
    const files = [...page.matchAll(/`((?:apps|libs|test)\/[^`]+)`/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter(file => !existsSync(join(root, file)))).toEqual([]);
  });

  it('has every block of docs/operate, with what runs it', () => {
    const blocks = readdirSync(operate).flatMap(name => blocksOf(name).map(begin => ({ name, begin })));
    expect(blocks.length).toBeGreaterThan(15);
    const isRow = (block: (typeof blocks)[number]) =>
      rows.some(({ name, begin }) => name === block.name && block.begin.startsWith(begin));
    expect(blocks.filter(block => !isRow(block))).toEqual([]);
  });

  it('has no block that docs/operate does not have', () => {
    const isBlock = ({ name, begin }: (typeof rows)[number]): boolean =>
      existsSync(join(operate, name)) && blocksOf(name).some(first => first.startsWith(begin));
    expect(rows.filter(row => !isBlock(row))).toEqual([]);
  });
});
