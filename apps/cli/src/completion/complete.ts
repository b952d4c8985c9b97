import type { Command } from 'commander';
import type { Document } from '../api/api.js';
import type { Noun } from '../nouns/noun.js';
import { durationMs } from '../input/duration.js';
import { nounOf } from '../nouns/nouns.js';
import { listPath } from '../nouns/references.js';
import { referenceOf } from '../output/output.js';
import type { Session } from '../session.js';

/** The time that a user waits for names, unless STAVE_COMPLETION_TIMEOUT is set. */
const PATIENCE = '300ms';
const MOST = 50;

interface Place {
  readonly command: Command;
  /** The words of the command after its name, without flags and the word that is typed. */
  readonly args: readonly string[];
}

function placeOf(root: Command, words: readonly string[]): Place {
  let command = root;
  const args: string[] = [];
  for (const word of words) {
    const next =
      args.length === 0
        ? command.commands.find(each => each.name() === word || each.aliases().includes(word))
        : undefined;
    if (next) command = next;
    else if (!word.startsWith('-')) args.push(word);
  }
  return { command, args };
}

async function references(session: Session, noun: Noun, typed: string): Promise<string[]> {
  const [cluster, rest] = typed.split('/');
  const byName = noun.columns[0] === 'name';
  const query = (prefix: string): object =>
    noun.whole ? {} : { limit: MOST, ...(prefix === '' || !byName ? {} : { 'name~': prefix }) };
  const read = async (path: string, prefix: string): Promise<string[]> => {
    const { items } = await session.api.read<{ items: Document[] }>(path, { ...query(prefix) });
    return items.map(item => referenceOf(path === '/v1/clusters' ? { columns: ['name'] } : noun, item));
  };
  if (noun.inCluster === undefined) return read(listPath(noun), typed);
  if (rest === undefined) return (await read('/v1/clusters', typed)).map(name => `${name}/`);
  return (await read(listPath(noun, cluster), rest)).map(name => `${cluster}/${name}`);
}

/** The names that fit within the patience of a user; none when the API is slow, away or refuses. */
async function inTime(found: Promise<string[]>, patienceMs: number): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string[]>(resolve => (timer = setTimeout(() => resolve([]), patienceMs)));
  try {
    return await Promise.race([found.catch(() => []), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the words that can stand in place of the last one. */
export async function complete(session: Session, root: Command, words: readonly string[]): Promise<string[]> {
  const typed = words.at(-1) ?? '';
  const { command, args } = placeOf(root, words.slice(0, -1));
  const fits = (word: string): boolean => word.startsWith(typed);
  if (typed.startsWith('-')) return command.options.flatMap(({ long }) => (long ? [long] : [])).filter(fits);
  if (command.commands.length > 0)
    return command.commands.map(each => each.name()).filter(name => !name.startsWith('__') && fits(name));
  const takesReference = command.registeredArguments[0]?.name() === 'ref' && args.length === 0;
  if (!takesReference) return [];
  const noun = nounOf(command.parent?.name() ?? '') ?? nounOf('clusters')!;
  const patience = durationMs(session.terminal.env['STAVE_COMPLETION_TIMEOUT'] ?? PATIENCE);
  return (await inTime(references(session, noun, typed), patience)).filter(fits);
}
