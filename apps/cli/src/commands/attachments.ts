import type { Command } from 'commander';
import type { Document } from '../api/api.js';
import { UsageError } from '../exit-codes.js';
import type { Noun } from '../nouns/noun.js';
import { nounOf } from '../nouns/nouns.js';
import { ownPath, pathOf } from '../nouns/references.js';
import { writeDocument } from '../output/output.js';
import type { Session } from '../session.js';
import type { AddCommand } from './command.js';
import { writeTable } from './list-and-get.js';
import { makeChange, type ChangeFlags } from './make-change.js';
import { withChangeFlags } from './resource-commands.js';

interface TargetFlags {
  readonly cluster?: string;
  readonly nodeGroup?: string;
  readonly containerSet?: string;
}
type AttachFlags = TargetFlags & ChangeFlags & { readonly priority?: string; readonly disabled?: boolean };

/** Returns how policies are attached, detached, and what they are attached to, by the names of the commands. */
export function attachmentCommands(noun: Noun): readonly (readonly [string, AddCommand])[] {
  return [
    ['attach', addAttach],
    ['detach', addDetach],
    [
      'attachments',
      (tree, parent) =>
        tree.leaf(parent, 'attachments <ref>', 'List what a policy is attached to', (session, [reference = '']) =>
          listAttachments(session, noun, reference),
        ),
    ],
  ];
}

const addAttach: AddCommand = (tree, parent) => {
  const attach = async (session: Session, [policy = '']: readonly string[], flags: AttachFlags): Promise<number> => {
    const { priority, disabled } = flags;
    const body = {
      ...(priority === undefined ? {} : { priority: priorityOf(priority) }),
      ...(disabled ? { enabled: false } : {}),
    };
    return makeChange(session, { method: 'put', path: await attachmentOf(session, policy, flags), body }, flags);
  };
  withTarget(tree.leaf<AttachFlags>(parent, 'attach <ref>', 'Attach a policy, or change how it is attached', attach))
    .option('--priority <n>', 'The attachment with the highest number decides (100)')
    .option('--disabled', 'Attach it without effect');
};

const addDetach: AddCommand = (tree, parent) => {
  const detach = async (session: Session, [policy = '']: readonly string[], flags: AttachFlags): Promise<number> =>
    makeChange(session, { method: 'delete', path: await attachmentOf(session, policy, flags) }, flags);
  withTarget(tree.leaf<AttachFlags>(parent, 'detach <ref>', 'Detach a policy', detach));
};

function withTarget(command: Command): Command {
  return withChangeFlags(
    command
      .option('-c, --cluster <ref>', 'The cluster')
      .option('--node-group <ref>', 'The node group, such as shop/workers')
      .option('--container-set <ref>', 'The container set'),
  );
}

function priorityOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`--priority ${text} must be a number from 0 to 1000`);
  return Number(text);
}

async function attachmentOf({ api }: Session, policy: string, flags: TargetFlags): Promise<string> {
  const given = Object.entries({
    clusters: flags.cluster,
    'node-groups': flags.nodeGroup,
    'container-sets': flags.containerSet,
  }).filter(([, reference]) => reference !== undefined);
  const [target] = given;
  if (!target || given.length > 1) throw new UsageError('name one of --cluster, --node-group and --container-set');
  const [name, reference = ''] = target;
  const noun = nounOf(name)!;
  const path = await ownPath(api, noun, await pathOf(api, noun, reference));
  return `${path}/policies/${encodeURIComponent(policy)}`;
}

const COLUMNS = ['targetType', 'attachedTo', 'priority', 'enabled', 'updatedAt'];

async function listAttachments(session: Session, noun: Noun, reference: string): Promise<void> {
  const { api, terminal, format } = session;
  const path = `${await pathOf(api, noun, reference)}/attachments`;
  const items: Document[] = [];
  for await (const item of api.items(path, { limit: 500 })) items.push(item);
  if (format === 'jsonl') return items.forEach(item => void writeDocument(terminal, format, item));
  if (format === 'name') return items.forEach(({ targetId }) => terminal.out(`${String(targetId)}\n`));
  if (writeDocument(terminal, format, { items })) return;
  if (items.length === 0) return session.note('It is attached to nothing.');
  const names = session.names();
  await names.learnTargets(items);
  const named = items.map(item => ({ ...item, attachedTo: names.nameOf(String(item['targetId'])) }));
  writeTable(session, COLUMNS, named, names);
}
