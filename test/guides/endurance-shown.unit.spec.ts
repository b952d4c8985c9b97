import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';

const root = repositoryRoot();
const page = readFileSync(join(root, 'docs', 'contribute', 'endurance-shown.md'), 'utf8');

interface Reference {
  readonly file: string;
  readonly titles: readonly string[];
}

/** The promises of the tables, with what shows them. */
const promises = [...page.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)]
  .map(([, promise = '', shownBy = '']) => ({ promise, shownBy }))
  .filter(({ promise }) => promise !== 'promise' && !/^-+$/.test(promise));

/** The files that a cell names, each with the titles that follow it. */
const referencesIn = (cell: string): readonly Reference[] =>
  [...cell.matchAll(/`((?:apps|libs|test)\/[^`]+)`((?:,? “[^”]+”)*)/g)].map(([, file = '', titles = '']) => ({
    file,
    titles: [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title),
  }));

const benchesIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`npm run bench -- ([\w-]+)`/g)].map(([, name = '']) => name);

/** Returns the text of a file with its string literals as they are read. */
const textOf = (file: string): string =>
  existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8').replace(/\\(['"`])/g, '$1') : '';

const references = promises.flatMap(({ shownBy }) => referencesIn(shownBy));

describe('docs/contribute/endurance-shown.md', () => {
  it('names files that are there, each with a title', () => {
    expect(references.length).toBeGreaterThan(90);
    expect(references.filter(({ file }) => !existsSync(join(root, file)))).toEqual([]);
    expect(references.filter(({ titles }) => titles.length === 0)).toEqual([]);
  });

  it('names titles that are in their files', () => {
    const missing = references.flatMap(({ file, titles }) =>
      titles.filter(title => !textOf(file).includes(title)).map(title => `${file}: ${title}`),
    );
    expect(missing).toEqual([]);
  });

  it('names benchmarks that are there', () => {
    const names = promises.flatMap(({ shownBy }) => benchesIn(shownBy));
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter(name => !existsSync(join(root, 'test', 'bench', `${name}.bench.ts`)))).toEqual([]);
  });

  it('has no promise that nothing shows', () => {
    expect(promises.length).toBeGreaterThan(50);
    const bare = promises.filter(
      ({ shownBy }) => referencesIn(shownBy).length === 0 && benchesIn(shownBy).length === 0,
    );
    expect(bare).toEqual([]);
  });
});
