import { complete } from './completion/complete.js';
import { CommandTree, type AddCommand } from './commands/command.js';
import { attachmentCommands } from './commands/attachments.js';
import { resourceCommands } from './commands/resource-commands.js';
import type { Noun, Verb } from './nouns/noun.js';
import { nounOf, nouns } from './nouns/nouns.js';
import { ownPath, pathOf } from './nouns/references.js';
import { writeDocument, asJson } from './output/output.js';
import type { Session } from './session.js';
import type { Terminal } from './terminal.js';
import { why } from './commands/why.js';
import { addHistory, addLogs, addWait, verbs } from './verbs.js';

/**
 * Builds the tree of commands. With `words`, a command line, only the command that it names is built: building all of them costs a start as much
 * as Node.js itself. Help, completion and a word that is no command get what they list: the whole tree, or all commands of a noun.
 */
export function commandTree(terminal: Terminal, version: string, words: readonly string[] = []): CommandTree {
  const tree = new CommandTree(terminal);
  tree.root
    .description('The command line of Stave: clusters of containers, planned, explained and kept as asked')
    .version(version, '-V, --version', 'Show the version')
    .addHelpText(
      'after',
      '\nA reference is a name, an id, or cluster/name. Exit codes: 0 done, 1 refused, 2 usage, 4 stale, 5 failed, 6 timeout, 7 denied, 10 changes.',
    );
  const [word = '', second] = words;
  const noun = nounOf(word);
  const verb = verbs.get(word);
  if (noun) addNoun(tree, noun, second);
  else if (verb) verb(tree);
  else if (!isVersion(words)) addAll(tree);
  return tree;
}

const isVersion = ([word = '', ...rest]: readonly string[]): boolean =>
  rest.length === 0 && ['-V', '--version'].includes(word);

function addAll(tree: CommandTree): void {
  for (const noun of nouns) addNoun(tree, noun);
  for (const add of verbs.values()) add(tree);
  tree.leaf(tree.root, '__complete [words...]', 'Print completions', async (session, given) => {
    for (const word of await complete(session, tree.root, given)) session.terminal.out(`${word}\n`);
  });
}

/** Adds the commands of a noun, or only the one that the word names. */
function addNoun(tree: CommandTree, noun: Noun, word = ''): void {
  const parent = tree.group(
    tree.root,
    noun.name,
    `${noun.name}: ${['list', ...noun.verbs, ...Object.keys(noun.actions)].join(', ')}`,
    noun.aliases,
  );
  const commands = commandsOf(noun);
  const named = commands.get(word === 'ls' ? 'list' : word);
  for (const add of named ? [named] : commands.values()) add(tree, parent);
}

/** Returns the commands of a noun in the order of help. */
function commandsOf(noun: Noun): ReadonlyMap<string, AddCommand> {
  const others: readonly (readonly [Verb, string, AddCommand])[] = [
    ['history', 'history', (tree, parent) => addHistory(tree, parent, noun)],
    ['why', 'why', addWhyOf(noun)],
    ...attachmentCommands(noun).map(([name, add]) => ['attach', name, add] as const),
    ['wait', 'wait', (tree, parent) => addWait(tree, parent, noun)],
    ['logs', 'logs', (tree, parent) => addLogs(tree, parent, 'logs <ref>', 'Show the log')],
    ['stats', 'stats', addStats(noun)],
  ];
  return new Map([
    ...resourceCommands(noun),
    ...others.flatMap(([verb, name, add]) => (noun.verbs.includes(verb) ? [[name, add] as const] : [])),
  ]);
}

const addWhyOf =
  (noun: Noun): AddCommand =>
  (tree, parent) =>
    tree.leaf(
      parent,
      'why <ref>',
      noun.name === 'containers'
        ? 'Explain where it is, or why it waits'
        : 'Explain its size, and what keeps or holds it',
      (session, [reference = '']) => why(session, noun, reference),
    );

const addStats =
  (noun: Noun): AddCommand =>
  (tree, parent) =>
    tree.leaf(parent, 'stats <ref>', 'Show utilisation', (session, [reference = '']) =>
      stats(session, noun, reference),
    );

async function stats(session: Session, noun: Noun, reference: string): Promise<void> {
  const { api } = session;
  const answer = await api.read(`${await ownPath(api, noun, await pathOf(api, noun, reference))}/stats`);
  if (!writeDocument(session.terminal, session.format, answer)) session.terminal.out(asJson(answer));
}
