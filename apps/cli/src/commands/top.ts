import type { Document } from '../api/api.js';
import { durationMs } from '../input/duration.js';
import { UsageError } from '../exit-codes.js';
import { writeDocument } from '../output/output.js';
import { tableLines } from '../output/table.js';
import { ageOf, inline, printable, reasonText } from '../output/values.js';
import type { Session } from '../session.js';

export interface TopFlags {
  readonly interval?: string;
  readonly once?: boolean;
}

const STATUSES = ['ACTIVE', 'CREATING', 'UPDATING', 'DEGRADED', 'FAILED', 'DELETING', 'PAUSED'];

interface Overview {
  readonly clusters: Readonly<Record<string, number>>;
  readonly wrong: readonly Document[];
  readonly operations: readonly Document[];
  readonly conductors: readonly Document[];
}

/** Counts are asked for by status: no list of clusters is read. */
async function overview({ api }: Session): Promise<Overview> {
  const count = async (status: string): Promise<[string, number]> => {
    const { total = 0 } = await api.read<{ total?: number }>('/v1/clusters', {
      status,
      limit: 1,
      total: true,
      fields: 'name',
    });
    return [status, total];
  };
  const items = async (path: string, query: object): Promise<Document[]> =>
    (await api.read<{ items: Document[] }>(path, { ...query })).items;
  const [counts, wrong, operations, conductors] = await Promise.all([
    Promise.all(STATUSES.map(count)),
    items('/v1/clusters', { status: 'FAILED,DEGRADED', limit: 10, sort: '-updatedAt' }),
    items('/v1/operations', { status: 'RUNNING,PENDING', limit: 10, sort: '-createdAt' }),
    items('/v1/conductors', {}),
  ]);
  return { clusters: Object.fromEntries(counts.filter(([, total]) => total > 0)), wrong, operations, conductors };
}

function lines(
  { clusters, wrong, operations, conductors }: Overview,
  { terminal: { columns }, now, paint }: Session,
): string[] {
  const counts = Object.entries(clusters).map(([status, total]) => `${total} ${status}`);
  const section = (title: string, rows: string[][]): string[] =>
    rows.length === 0 ? [] : ['', title, ...tableLines(rows, columns, paint)];
  return [
    `Clusters: ${counts.join(', ') || 'none'}`,
    ...section(
      'What is wrong',
      wrong.map(({ name, status, statusReason }) => [
        inline(name),
        inline(status),
        inline(reasonText(statusReason ?? '')),
      ]),
    ),
    ...section(
      'Operations',
      operations.map(({ id, kind, status, progress, createdAt }) => [
        inline(id),
        inline(kind),
        inline(status),
        `${inline(Object(progress).percent)} %`,
        ageOf(String(createdAt), now()),
      ]),
    ),
    ...section(
      'Conductors',
      conductors.map(({ id, group, state, load }) => [
        printable(String(id)),
        inline(group),
        inline(state),
        `load ${inline(load)}`,
      ]),
    ),
  ];
}

/** Shows what the installation does, again and again on a terminal, else once. */
export async function top(session: Session, flags: TopFlags): Promise<void> {
  const { terminal, format } = session;
  const every = durationMs(flags.interval ?? '2s');
  if (every < 500) throw new UsageError('--interval must be at least 500ms');
  for (;;) {
    const seen = await overview(session);
    if (writeDocument(terminal, format, seen)) return;
    const again = terminal.interactive && !flags.once;
    if (again) terminal.out('\u001b[2J\u001b[H');
    for (const line of lines(seen, session)) terminal.out(`${line}\n`);
    if (!again) return;
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, every);
      terminal.signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
    });
    if (terminal.signal.aborted) return;
  }
}
