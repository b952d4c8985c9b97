import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandTree } from '@stave/cli';
import { repositoryRoot } from '@stave/testing';
import { nowhere } from './reference-file.js';

interface Shown {
  /** The command without `stave`, such as `clusters list`. */
  readonly command: string;
  /** The words by which each part of it can be written. */
  readonly words: readonly (readonly string[])[];
}

function commands(): Shown[] {
  const { root } = commandTree(nowhere, '0');
  const wordsOf = (command: typeof root): string[] => [command.name(), ...command.aliases()];
  return root.commands
    .filter(each => !each.name().startsWith('__'))
    .flatMap(each =>
      each.commands.length === 0
        ? [{ command: each.name(), words: [wordsOf(each)] }]
        : each.commands.map(leaf => ({
            command: `${each.name()} ${leaf.name()}`,
            words: [wordsOf(each), wordsOf(leaf)],
          })),
    );
}

/** Leaves out the lines that the API or the command refuses. */
const accepted = (text: string): string =>
  text.replace(/refused\(\s*(`[^`]*`|'[^']*')/g, '').replace(/run\(\s*(`[^`]*`|'[^']*'),\s*\{ code: [1-9]/g, '');

/** Whether a test has the command, as a line or as a list of words. A word alone must begin one of them: it may be one of a title. */
function names(text: string, { words }: Shown): boolean {
  const parts = words.map(alternatives => `(?:${alternatives.join('|')})`);
  if (parts.length === 1) return new RegExp(`stave ${parts[0]}\\b|['"\`]${parts[0]}['"\` ]`).test(text);
  return new RegExp(`(?:^| )${parts.join(' ')}(?![\\w-])`).test(text.replace(/['"`,\s()[\]]+/g, ' '));
}

function table(): Map<string, string> {
  const page = readFileSync(join(repositoryRoot(), 'docs/contribute/commands-shown.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `stave ([^`]+)` +\| `([^`]+)` +\|$/gm)];
  return new Map(rows.map(([, command = '', file = '']) => [command, file]));
}

describe('docs/contribute/commands-shown.md', () => {
  const shown = table();
  const all = commands();

  it('has every command, and nothing else', () => {
    expect([...shown.keys()].sort()).toEqual(all.map(({ command }) => command).sort());
  });

  it('names tests in which the command succeeds', () => {
    const text = (file: string): string => {
      const path = join(repositoryRoot(), file);
      return /\.e2e\.spec\.ts$/.test(file) && existsSync(path) ? accepted(readFileSync(path, 'utf8')) : '';
    };
    const unnamed = all.filter(each => !names(text(shown.get(each.command) ?? ''), each));
    expect(unnamed.map(({ command }) => `stave ${command} in ${shown.get(command)}`)).toEqual([]);
  });

  it.each([
    ['clusters list', "await stave.run(['c', 'ls'])", true],
    ['clusters list', '`clusters list --name ${name}`', true],
    ['clusters list', "'cluster-templates list'", false],
    ['clusters pause', "run(['container-sets', 'pause'])", false],
    ['clusters upgrade', "await stave.refused('clusters upgrade a')", false],
    ['clusters wait', 'await stave.run(`clusters wait ${name}`, { code: 5 })', false],
    ['export', "it('what is exported')", false],
    ['export', "run(['export', name])", true],
  ])('the command %s is found where it is run only: %s', (command, text, found) => {
    expect(
      names(
        accepted(text),
        all.find(each => each.command === command)!,
      ),
    ).toBe(found);
  });
});
