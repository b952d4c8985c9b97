import type { Command } from 'commander';
import { apply, type ApplyFlags } from './commands/apply.js';
import type { CommandTree } from './commands/command.js';
import { doctor } from './commands/doctor.js';
import { events, history, type EventFlags, type HistoryFlags } from './commands/history.js';
import { addLogin, addLogout, addProfiles, addWhoami } from './commands/identity.js';
import { logs, type LogFlags } from './commands/logs.js';
import { top, type TopFlags } from './commands/top.js';
import { waitFor } from './commands/wait.js';
import { why } from './commands/why.js';
import { completionScript } from './completion/scripts.js';
import { exportCluster } from './fleet/present.js';
import type { Noun } from './nouns/noun.js';
import { asYaml, loadYaml, writeDocument } from './output/output.js';

export function addHistory(tree: CommandTree, parent: Command, noun?: Noun): void {
  tree
    .leaf<HistoryFlags>(
      parent,
      'history <ref>',
      'Show the events of a resource, oldest first',
      (session, [reference = ''], flags) => history(session, noun, reference, flags),
    )
    .option('--diff', 'Show what changed instead')
    .option('--since <time>', 'A time, or a duration such as 2h')
    .option('--until <time>', 'A time, or a duration');
}

export function addWait(tree: CommandTree, parent: Command, noun?: Noun): void {
  tree
    .leaf<{ timeout?: string }>(
      parent,
      'wait <ref>',
      'Wait until it is ACTIVE and no operation runs',
      (session, [reference = ''], { timeout }) => waitFor(session, noun, reference, timeout),
    )
    .option('--timeout <duration>', 'The longest time to wait; then exit code 6');
}

export function addLogs(tree: CommandTree, parent: Command, usage: string, summary: string): void {
  tree
    .leaf<LogFlags>(parent, usage, summary, (session, [reference = ''], flags) => logs(session, reference, flags))
    .option('-f, --follow', 'Follow the log as it grows')
    .option('--tail <lines>', 'The last lines only');
}

function addApply(tree: CommandTree): void {
  tree
    .leaf<ApplyFlags>(tree.root, 'apply [plan]', 'Apply a plan exactly, or a fleet file', (session, [id], flags) =>
      apply(session, id, flags),
    )
    .option('-f, --file <file>', 'Clusters, container profiles, sets and policies as they shall be; - reads the input')
    .option('--plan', 'Show what would change, and change nothing')
    .option('--exit-code', 'With --plan: exit 10 when there are changes')
    .option('--prune', 'Also remove from the clusters of the file what the file does not have')
    .option('--wait', 'Wait for the end of each operation')
    .option('--timeout <duration>', 'Wait so long at most for each')
    .option('-y, --yes', 'Do not ask');
}

function addExport(tree: CommandTree): void {
  const summary = 'Print a cluster as stave apply -f takes it';
  tree.leaf(tree.root, 'export <ref>', summary, async (session, [reference = '']) => {
    await loadYaml();
    const file = await exportCluster(session.api, reference);
    if (session.format === 'name' || !writeDocument(session.terminal, session.format, file))
      session.terminal.out(asYaml(file));
  });
}

function addWhy(tree: CommandTree): void {
  tree.leaf(tree.root, 'why <ref>', 'Explain where a container is, or why it waits', (session, [reference = '']) =>
    why(session, undefined, reference),
  );
}

function addEvents(tree: CommandTree): void {
  tree
    .leaf<EventFlags>(tree.root, 'events', 'Show events of all resources, of the last hour', (session, _, flags) =>
      events(session, flags),
    )
    .option('-f, --follow', 'Follow the events as they come')
    .option('--since <time>', 'A time, a duration such as 2h, or start (1h; with --follow: now)')
    .option('--until <time>', 'A time before which the last event was, or a duration; not with --follow')
    .option('--cluster <cluster>', 'A cluster and everything inside it')
    .option('--type <types>', 'Types with commas between them')
    .option('--resource <id>', 'One resource');
}

function addTop(tree: CommandTree): void {
  tree
    .leaf<TopFlags>(tree.root, 'top', 'Watch the installation', (session, _, flags) => top(session, flags))
    .option('--interval <duration>', 'Between two looks (2s)')
    .option('--once', 'Look once');
}

function addCompletion(tree: CommandTree): void {
  tree.leaf(
    tree.root,
    'completion <shell>',
    'Print the completion of bash, zsh or fish',
    async ({ terminal }, [shell = '']) => terminal.out(completionScript(shell)),
  );
}

/** The commands without a noun, in the order of help. Each is added by itself. */
export const verbs: ReadonlyMap<string, (tree: CommandTree) => void> = new Map([
  ['apply', addApply],
  ['export', addExport],
  ['why', addWhy],
  ['history', tree => addHistory(tree, tree.root)],
  ['wait', tree => addWait(tree, tree.root)],
  ['logs', tree => addLogs(tree, tree.root, 'logs <container>', 'Show the log of a container')],
  ['events', addEvents],
  ['top', addTop],
  [
    'doctor',
    tree => tree.leaf(tree.root, 'doctor', 'Examine the installation, and say what to do', session => doctor(session)),
  ],
  ['whoami', addWhoami],
  ['login', addLogin],
  ['logout', addLogout],
  ['profiles', addProfiles],
  ['completion', addCompletion],
] satisfies [string, (tree: CommandTree) => void][]);
