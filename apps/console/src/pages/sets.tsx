import { Link } from 'wouter';
import { listOf } from '../api/lists.js';
import { useSummary } from '../api/queries.js';
import type { ContainerSet } from '../api/types.js';
import { changedColumn, clusterColumn, nameColumn, statusColumn } from '../parts/columns.js';
import { ListPage } from '../parts/list-page.js';
import { CommandLine, Empty } from '../parts/states.js';
import type { Column } from '../parts/virtual-table.js';
import { shell } from '../parts/shell-command.js';

const kind = listOf<ContainerSet>('containerSet');

const columns: readonly Column<ContainerSet>[] = [
  nameColumn('/sets', 'minmax(8rem, 1.2fr)'),
  statusColumn('minmax(7rem, 8.5rem)'),
  {
    key: 'available',
    title: 'Available',
    width: '6rem',
    sort: 'desired',
    cell: ({ counts, desired }) => (
      <span className={counts.available < desired ? 'short' : undefined}>
        {counts.available}/{desired}
      </span>
    ),
  },
  {
    key: 'rollout',
    title: 'Rollout',
    width: 'minmax(0, 1fr)',
    isMinor: true,
    cell: ({ rollout, counts }) =>
      rollout
        ? `${rollout.done ?? 0} of ${rollout.total ?? 0}`
        : counts.outdated > 0
          ? `${counts.outdated} outdated`
          : '',
  },
  {
    key: 'image',
    title: 'Image',
    width: 'minmax(0, 1.4fr)',
    isMinor: true,
    cell: ({ contents, overrides }) => <code>{contents.image ?? (overrides as { image?: string }).image}</code>,
  },
  clusterColumn('minmax(0, 0.8fr)'),
  {
    key: 'scaled',
    title: 'Size',
    width: '6.5rem',
    isMinor: true,
    cell: ({ autoscaling, min, max }) => (autoscaling?.enabled ? `by load ${min}–${max ?? '∞'}` : 'fixed'),
  },
  changedColumn(true),
];

/** All container sets. */
export function SetsPage() {
  const summary = useSummary();
  return (
    <ListPage
      title="Container sets"
      what="container sets"
      command={shell`stave container-sets list`}
      href={({ id }) => `/sets/${id}`}
      numbers={summary.data?.['containerSets'] ?? {}}
      actions={
        <Link href="/change/container-set" className="primary">
          New container set
        </Link>
      }
      empty={
        <Empty title="No container set yet">
          <p>A set keeps a number of equal containers running, and follows their load.</p>
          <CommandLine>{shell`stave container-sets create web --set profile=web --set desired=3`}</CommandLine>
        </Empty>
      }
      {...{ kind, columns }}
    />
  );
}
