import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';

/** What nouns are called for short. */
const short: Readonly<Record<string, string>> = { ng: 'node-groups', c: 'clusters', n: 'nodes', ct: 'containers' };

/** The commands of the reference, which is written from the command line itself. */
const reference = readFileSync(join(repositoryRoot(), 'docs', 'reference', 'command-line.md'), 'utf8');
const commands = new Set([...reference.matchAll(/^`stave ([a-z -]+?)(?: [[<].*)?`:/gm)].map(([, words = '']) => words));

/** Whether a line names a command that there is, with flags that the reference knows. */
export function isCommand(line: string): boolean {
  const [program, first = '', second = ''] = line.split(' ');
  const noun = short[first] ?? first;
  const isKnown = commands.has(`${noun} ${second}`) || commands.has(noun);
  const flags = line.match(/(?<= )--[a-z-]+/g) ?? [];
  return program === 'stave' && isKnown && flags.every(flag => reference.includes(flag));
}
