import { complete } from './completion/complete.js';
import { completionScript } from './completion/scripts.js';
import { apply, type ApplyFlags } from './commands/apply.js';
import { CommandTree } from './commands/command.js';
import { doctor } from './commands/doctor.js';
import { events, history, type EventFlags, type HistoryFlags } from './commands/history.js';
import { addIdentityCommands } from './commands/identity.js';
import { logs, type LogFlags } from './commands/logs.js';
import { addResourceCommands } from './commands/resource-commands.js';
import { top, type TopFlags } from './commands/top.js';
import { waitFor } from './commands/wait.js';
import { why } from './commands/why.js';
import { exportCluster } from './fleet/present.js';
import type { Noun } from './nouns/noun.js';
import { nouns } from './nouns/nouns.js';
import { ownPath, pathOf } from './nouns/references.js';
import { asYaml, writeDocument, asJson } from './output/output.js';
import type { Session } from './session.js';
import type { Terminal } from './terminal.js';

/** Builds the tree of all commands. */
export function commandTree(terminal: Terminal, version: string): CommandTree {
  const tree = new CommandTree(terminal);
  tree.root
    .description('The command line of Stave: clusters of containers, planned, explained and kept as asked')
    .version(version, '-V, --version', 'Show the version')
    .addHelpText(
      'after',
      '\nA reference is a name, an id, or cluster/name. Exit codes: 0 done, 1 refused, 2 usage, 4 stale, 5 failed, 6 timeout, 7 denied, 10 changes.',
    );
  for (const noun of nouns) addNoun(tree, noun);
  addVerbs(tree);
  addIdentityCommands(tree);
  addCompletion(tree);
  return tree;
}

function addNoun(tree: CommandTree, noun: Noun): void {
  const parent = tree.group(
    tree.root,
    noun.name,
    `${noun.name}: ${['list', ...noun.verbs, ...Object.keys(noun.actions)].join(', ')}`,
    noun.aliases,
  );
  addResourceCommands(tree, parent, noun);
  if (noun.verbs.includes('history')) addHistory(tree, noun);
  if (noun.verbs.includes('why'))
    tree.leaf(parent, 'why <ref>', 'Explain where it is, or why it waits', (session, [reference = '']) =>
      why(session, noun, reference),
    );
  if (noun.verbs.includes('wait')) addWait(tree, noun);
  if (noun.verbs.includes('logs'))
    tree
      .leaf<LogFlags>(parent, 'logs <ref>', 'Show the log', (session, [reference = ''], flags) =>
        logs(session, reference, flags),
      )
      .option('-f, --follow', 'Follow the log as it grows')
      .option('--tail <lines>', 'The last lines only');
  if (noun.verbs.includes('stats'))
    tree.leaf(parent, 'stats <ref>', 'Show utilisation', (session, [reference = '']) =>
      stats(session, noun, reference),
    );
}

async function stats(session: Session, noun: Noun, reference: string): Promise<void> {
  const { api } = session;
  const answer = await api.read(`${await ownPath(api, noun, await pathOf(api, noun, reference))}/stats`);
  if (!writeDocument(session.terminal, session.format, answer)) session.terminal.out(asJson(answer));
}

const parentOf = (tree: CommandTree, noun?: Noun) =>
  noun ? tree.root.commands.find(each => each.name() === noun.name)! : tree.root;

function addHistory(tree: CommandTree, noun?: Noun): void {
  tree
    .leaf<HistoryFlags>(
      parentOf(tree, noun),
      'history <ref>',
      'Show the events of a resource, oldest first',
      (session, [reference = ''], flags) => history(session, noun, reference, flags),
    )
    .option('--diff', 'Show what changed instead')
    .option('--since <time>', 'A time, or a duration such as 2h')
    .option('--until <time>', 'A time, or a duration');
}

function addWait(tree: CommandTree, noun?: Noun): void {
  tree
    .leaf<{ timeout?: string }>(
      parentOf(tree, noun),
      'wait <ref>',
      'Wait until it is ACTIVE and no operation runs',
      (session, [reference = ''], { timeout }) => waitFor(session, noun, reference, timeout),
    )
    .option('--timeout <duration>', 'The longest time to wait; then exit code 6');
}

function addVerbs(tree: CommandTree): void {
  const { root } = tree;
  tree
    .leaf<ApplyFlags>(root, 'apply [plan]', 'Apply a plan exactly, or a fleet file', (session, [id], flags) =>
      apply(session, id, flags),
    )
    .option('-f, --file <file>', 'Clusters, container profiles, sets and policies as they shall be; - reads the input')
    .option('--plan', 'Show what would change, and change nothing')
    .option('--exit-code', 'With --plan: exit 10 when there are changes')
    .option('--prune', 'Also remove from the clusters of the file what the file does not have')
    .option('--wait', 'Wait for the end of each operation')
    .option('--timeout <duration>', 'Wait so long at most for each')
    .option('-y, --yes', 'Do not ask');
  tree.leaf(root, 'export <ref>', 'Print a cluster as stave apply -f takes it', async (session, [reference = '']) => {
    const file = await exportCluster(session.api, reference);
    if (session.format === 'name' || !writeDocument(session.terminal, session.format, file))
      session.terminal.out(asYaml(file));
  });
  tree.leaf(root, 'why <ref>', 'Explain where a container is, or why it waits', (session, [reference = '']) =>
    why(session, undefined, reference),
  );
  addHistory(tree);
  addWait(tree);
  tree
    .leaf<LogFlags>(root, 'logs <container>', 'Show the log of a container', (session, [reference = ''], flags) =>
      logs(session, reference, flags),
    )
    .option('-f, --follow', 'Follow the log as it grows')
    .option('--tail <lines>', 'The last lines only');
  tree
    .leaf<EventFlags>(root, 'events', 'Show events of all resources, of the last hour', (session, _, flags) =>
      events(session, flags),
    )
    .option('-f, --follow', 'Follow the events as they come')
    .option('--since <time>', 'A time, a duration such as 2h, or start (1h; with --follow: now)')
    .option('--cluster <cluster>', 'A cluster and everything inside it')
    .option('--type <types>', 'Types with commas between them')
    .option('--resource <id>', 'One resource');
  tree
    .leaf<TopFlags>(root, 'top', 'Watch the installation', (session, _, flags) => top(session, flags))
    .option('--interval <duration>', 'Between two looks (2s)')
    .option('--once', 'Look once');
  tree.leaf(root, 'doctor', 'Examine the installation, and say what to do', session => doctor(session));
}

function addCompletion(tree: CommandTree): void {
  const { root } = tree;
  tree.leaf(
    root,
    'completion <shell>',
    'Print the completion of bash, zsh or fish',
    async ({ terminal }, [shell = '']) => terminal.out(completionScript(shell)),
  );
  tree.leaf(root, '__complete [words...]', 'Print completions', async (session, given) => {
    for (const word of await complete(session, root, given)) session.terminal.out(`${word}\n`);
  });
}
