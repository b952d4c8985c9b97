import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';

/** What nouns are called for short. */
const short: Readonly<Record<string, string>> = { ng: 'node-groups', c: 'clusters', n: 'nodes', ct: 'containers' };

/** The commands of the reference, which is written from the command line itself, each with its flags; those of every command under ''. */
const commands = flagsOf(readFileSync(join(repositoryRoot(), 'docs', 'reference', 'command-line.md'), 'utf8'));

function flagsOf(reference: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>([['', new Set()]]);
  let last = '';
  for (const line of reference.split('\n')) {
    const [, words] = /^`stave ([a-z -]+?)(?: [[<].*)?`:/.exec(line) ?? [];
    const [, flags = ''] = /^- `(-[^<`]*)/.exec(line) ?? [];
    if (words !== undefined) found.set((last = words), found.get(words) ?? new Set());
    for (const flag of flags.split(/[ ,]+/).filter(Boolean)) found.get(last)?.add(flag);
  }
  return found;
}

/** Whether a line names a command that there is, with flags that it takes. */
export function isCommand(line: string): boolean {
  const [program, first = '', second = ''] = line.split(' ');
  const noun = short[first] ?? first;
  const own = commands.get(`${noun} ${second}`) ?? commands.get(noun);
  const flags = line.match(/(?<= )--?[a-z][a-z-]*/g) ?? [];
  return program === 'stave' && own !== undefined && flags.every(flag => own.has(flag) || commands.get('')?.has(flag));
}
