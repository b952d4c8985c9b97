import type { Command } from 'commander';
import { bodyOf, valueOf, type BodyFlags } from '../input/body.js';
import { pairsOf } from '../input/pairs.js';
import { UsageError } from '../exit-codes.js';
import { hasPast, type Action, type Noun, type Verb } from '../nouns/noun.js';
import { listPath, pathOf } from '../nouns/references.js';
import type { Session } from '../session.js';
import { confirmed } from './confirm.js';
import { collect, type AddCommand } from './command.js';
import { get, list, type ListFlags } from './list-and-get.js';
import { makeChange, type ChangeFlags } from './make-change.js';

type EditFlags = BodyFlags &
  ChangeFlags & { readonly cluster?: string; readonly yes?: boolean; readonly query?: readonly string[] };

/** Adds the options that every change has. */
export function withChangeFlags(command: Command): Command {
  return command
    .option('--plan', 'Show what the change would do, and change nothing')
    .option('--exit-code', 'With --plan: exit 10 when there are changes')
    .option('--wait', 'Wait for the end of the operation')
    .option('--timeout <duration>', 'Wait so long at most, such as 30s')
    .option('--if-match <revision>', 'Refuse the change when the revision is another one')
    .option('--query <name=value>', 'A parameter of the request, such as lowerMin=true', collect);
}

function withBodyFlags(command: Command): Command {
  return command
    .option('-f, --file <file>', 'JSON or YAML; - reads the input')
    .option('--set <member=value>', 'Set a member, such as flavor.cpus=6', collect)
    .option('--unset <member>', 'Remove a member', collect);
}

const queryOf = ({ query }: EditFlags): Record<string, string> => Object.fromEntries(pairsOf(query, '--query'));

/** Returns list, get, create, update, delete and the actions of a noun, by their names. Each is added by itself. */
export function resourceCommands(noun: Noun): Map<string, AddCommand> {
  const own: readonly (readonly [Verb | 'list', AddCommand])[] = [
    ['list', addList(noun)],
    ['get', addGet(noun)],
    ['create', addCreate(noun)],
    ['update', addUpdate(noun)],
    ['delete', addDelete(noun)],
  ];
  return new Map<string, AddCommand>([
    ...own.filter(([name]) => name === 'list' || noun.verbs.includes(name)),
    ...Object.entries(noun.actions).map(([name, action]) => [name, addAction(noun, name, action)] as const),
  ]);
}

const AT = ['--at <time>', 'The state at a time, so long ago (2h), or at a revision'] as const;

const addList =
  (noun: Noun): AddCommand =>
  (tree, parent) => {
    const command = tree
      .leaf<ListFlags>(parent, 'list', `List ${noun.name}`, (session, _, flags) => list(session, noun, flags))
      .alias('ls')
      .option('--columns <members>', 'Columns of a table, with commas between them');
    if (!noun.whole)
      command
        .option('--status <status>', 'One or more, with commas between them')
        .option('--name <prefix>', 'Names that begin so')
        .option('--filter <member=value>', 'Filter by a member', collect)
        .option('--label <name=value>', 'Filter by a label', collect)
        .option('--sort <members>', 'Such as -createdAt,name')
        .option('--limit <n>', 'Show so many (50)')
        .option('--all', 'Show all');
    if (hasPast(noun)) command.option(...AT);
    if (noun.inCluster !== undefined) command.option('-c, --cluster <cluster>', 'Those of one cluster');
  };

const addGet =
  (noun: Noun): AddCommand =>
  (tree, parent) => {
    const one = tree.leaf(parent, 'get <ref>', `Show one ${noun.singular}`, (session, [reference = '']) =>
      get(session, noun, reference),
    );
    if (noun.verbs.includes('history') && hasPast(noun)) one.option(...AT);
  };

const addCreate =
  (noun: Noun): AddCommand =>
  (tree, parent) => {
    const create = async (session: Session, [name]: readonly string[], flags: EditFlags): Promise<number> => {
      const [cluster, own] = name?.includes('/') ? name.split('/') : [flags.cluster, name];
      const body = { ...(own === undefined ? {} : { name: own }), ...(await bodyOf(session.terminal, flags)) };
      const path = listPath(noun, cluster);
      return makeChange(session, { method: 'post', path, body, query: queryOf(flags) }, flags);
    };
    const command = tree.leaf<EditFlags>(parent, 'create [name]', `Create a ${noun.singular}`, create);
    withBodyFlags(withChangeFlags(command));
    if (noun.inCluster !== undefined) command.option('-c, --cluster <cluster>', 'The cluster in which it is made');
  };

const addUpdate =
  (noun: Noun): AddCommand =>
  (tree, parent) => {
    const update = async (session: Session, [reference = '']: readonly string[], flags: EditFlags): Promise<number> => {
      const body = await bodyOf(session.terminal, flags);
      if (body === undefined) throw new UsageError('nothing to change: use --set, --unset or --file');
      const path = await pathOf(session.api, noun, reference);
      return makeChange(session, { method: 'patch', path, body, query: queryOf(flags) }, flags);
    };
    withBodyFlags(withChangeFlags(tree.leaf<EditFlags>(parent, 'update <ref>', `Change a ${noun.singular}`, update)));
  };

const addDelete =
  (noun: Noun): AddCommand =>
  (tree, parent) => {
    const remove = async (session: Session, [reference = '']: readonly string[], flags: EditFlags): Promise<number> => {
      const path = await pathOf(session.api, noun, reference);
      if (!flags.plan) await confirmed(session, `Delete the ${noun.singular} ${reference}?`, flags.yes);
      return makeChange(session, { method: 'delete', path, query: queryOf(flags) }, flags);
    };
    withChangeFlags(tree.leaf<EditFlags>(parent, 'delete <ref>', `Delete a ${noun.singular}`, remove)).option(
      '-y, --yes',
      'Do not ask',
    );
  };

/** `+2`, `-1` and `-50%` are changes of a size, `5` is the size. */
function sizeOf(text: string): Record<string, unknown> {
  if (/^\d+$/.test(text)) return { count: Number(text) };
  if (/^[+-]\d+$/.test(text)) return { change: Number(text) };
  if (/^[+-]?\d+(\.\d+)?%$/.test(text)) return { change: text.replace(/^\+/, '') };
  throw new UsageError(`${text} is no size: use 5, +2, -1 or -50%`);
}

const addAction =
  (noun: Noun, name: string, { argument, required, summary, path: below = `actions/${name}` }: Action): AddCommand =>
  (tree, parent) => {
    const extra = argument === undefined ? '' : required ? ` <${argument}>` : ` [${argument}]`;
    const act = async (
      session: Session,
      [reference = '', value]: readonly string[],
      flags: EditFlags,
    ): Promise<number> => {
      const given = await bodyOf(session.terminal, flags);
      const own =
        value === undefined || argument === undefined
          ? {}
          : name === 'resize'
            ? sizeOf(value)
            : { [argument]: valueOf(value) };
      const body = { ...own, ...given };
      const path = `${await pathOf(session.api, noun, reference)}/${below}`;
      return makeChange(session, { method: 'post', path, body, query: queryOf(flags) }, flags);
    };
    withBodyFlags(withChangeFlags(tree.leaf<EditFlags>(parent, `${name} <ref>${extra}`, summary, act)));
  };
