import type { Document, Query } from '../api/api.js';
import { UsageError } from '../exit-codes.js';
import type { Noun } from '../nouns/noun.js';
import { listPath, pathOf } from '../nouns/references.js';
import { asJson, writeDocument, writeResource } from '../output/output.js';
import type { PageNames } from '../output/names.js';
import { tableLines } from '../output/table.js';
import { cell, titleOf } from '../output/values.js';
import { timeOf } from '../input/duration.js';
import { pairsOf } from '../input/pairs.js';
import type { Session } from '../session.js';

export interface ListFlags {
  readonly cluster?: string;
  readonly status?: string;
  readonly name?: string;
  readonly filter?: readonly string[];
  readonly label?: readonly string[];
  readonly sort?: string;
  readonly limit?: string;
  readonly all?: boolean;
}

const DEFAULT_LIMIT = 50;
const PAGE = 500;

function queryOf(session: Session, flags: ListFlags): Query {
  const labels = pairsOf(flags.label, '--label').map(([key, value]) => [`labels.${key}`, value]);
  const { at } = session.flags;
  return {
    ...(flags.status === undefined ? {} : { status: flags.status.toUpperCase() }),
    ...(flags.name === undefined ? {} : { 'name~': flags.name }),
    ...Object.fromEntries(pairsOf(flags.filter, '--filter')),
    ...(labels.length > 0 ? { labels: Object.fromEntries(labels) } : {}),
    ...(flags.sort === undefined ? {} : { sort: flags.sort }),
    ...(at === undefined ? {} : { at: timeOf(at, session.now()) }),
  };
}

const limitOf = ({ limit, all }: ListFlags): number => {
  if (all) return Infinity;
  if (limit === undefined) return DEFAULT_LIMIT;
  if (!/^[1-9]\d*$/.test(limit)) throw new UsageError(`--limit ${limit} must be a positive number`);
  return Number(limit);
};

/** The columns of a table: those that were asked for, else those of the noun. */
export function columnsOf(session: Session, { columns, wide = [] }: Noun): readonly string[] {
  const { columns: asked } = session.flags;
  if (asked !== undefined) return asked.split(',').filter(column => column !== '');
  return session.format === 'wide' ? [...columns, ...wide] : columns;
}

/** Lists resources. `jsonl` is written as it arrives; a table says how many it left out. */
export async function list(session: Session, noun: Noun, flags: ListFlags): Promise<void> {
  const { api, terminal, format } = session;
  const path = listPath(noun, flags.cluster);
  if (noun.whole) {
    const { items } = await api.read<{ items: Document[] }>(path);
    return show(session, noun, items, undefined);
  }
  const limit = limitOf(flags);
  const query = queryOf(session, flags);
  const kept: Document[] = [];
  let total: number | undefined;
  let written = 0;
  const names = session.names();
  for await (const page of api.pages(path, {
    ...query,
    limit: Math.min(limit, PAGE),
    ...(format === 'table' ? { total: true } : {}),
  })) {
    total ??= page.total;
    const items = page.items.slice(0, limit - written);
    written += items.length;
    if (format === 'jsonl' || format === 'name') {
      await learnClusters(session, noun, names, items);
      for (const item of items) writeResource(session, noun, item, names);
      await terminal.drained();
    } else kept.push(...items);
    if (written >= limit) break;
  }
  if (format !== 'jsonl' && format !== 'name') await show(session, noun, kept, total);
}

/** Writes a table with a title for each column. `names` must have learnt what the columns refer to. */
export function writeTable(
  { terminal, paint }: Session,
  columns: readonly string[],
  items: readonly Document[],
  names: PageNames,
): void {
  const rows = [columns.map(titleOf), ...items.map(item => columns.map(column => cell(item, column, names)))];
  for (const line of tableLines(rows, terminal.columns, paint)) terminal.out(`${line}\n`);
}

async function show(
  session: Session,
  noun: Noun,
  items: readonly Document[],
  total: number | undefined,
): Promise<void> {
  const { terminal, format } = session;
  if (format === 'json') return terminal.out(asJson({ items }));
  const names = session.names();
  if (format === 'jsonl' || format === 'name')
    return items.forEach(item => void writeResource(session, noun, item, names));
  if (writeDocument(terminal, format, { items })) return;
  if (items.length === 0) return session.note(`No ${noun.name}.`);
  const columns = columnsOf(session, noun);
  await names.learn(items, columns);
  writeTable(session, columns, items, names);
  if (total !== undefined && total > items.length)
    session.note(`${items.length} of ${total} ${noun.name}; --all shows all`);
}

/** Reads the names of clusters where references have them. */
async function learnClusters(
  { format }: Session,
  { inCluster }: Noun,
  names: PageNames,
  documents: readonly Document[],
): Promise<void> {
  if (format === 'name' && inCluster !== undefined) await names.learn(documents, ['cluster']);
}

/** Shows one resource, at a past time where `--at` asks for it. */
export async function get(session: Session, noun: Noun, reference: string): Promise<void> {
  const { api, terminal } = session;
  const path = await pathOf(api, noun, reference);
  const { at } = session.flags;
  const document = await api.read(path, at === undefined ? {} : { at: timeOf(at, session.now()) });
  const names = session.names();
  await learnClusters(session, noun, names, [document]);
  if (writeResource(session, noun, document, names)) return;
  await names.learn([document], ['cluster', 'node']);
  const known = noun.columns.filter(column => ['cluster', 'node', 'nodes', 'ready', 'running'].includes(column));
  const rows = [
    ...Object.keys(document).filter(member => member !== 'nodeCounts' && member !== 'counts'),
    ...known,
  ].map(member => [member, /At$/.test(member) ? String(document[member]) : cell(document, member, names)]);
  for (const line of tableLines(rows, terminal.columns)) terminal.out(`${line}\n`);
}
