import { Link } from 'wouter';
import { clusterList, past, useSummary } from '../api/queries.js';
import type { Cluster } from '../api/types.js';
import { useLiveList } from '../api/use-live-list.js';
import { Filter, StatusChips } from '../parts/filter.js';
import { listCommand } from '../parts/list-command.js';
import { ListFoot } from '../parts/list-foot.js';
import { PageHead } from '../parts/page-head.js';
import { CommandLine, Empty, ErrorState, Loading } from '../parts/states.js';
import { Status } from '../parts/status.js';
import { Age } from '../parts/time.js';
import { useUrl } from '../parts/use-url.js';
import { VirtualTable, type Column } from '../parts/virtual-table.js';
import { useMoment } from '../time/moment.js';
import { shell } from '../parts/shell-command.js';

const columns: readonly Column<Cluster>[] = [
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(9rem, 1.4fr)',
    sort: 'name',
    cell: ({ id, name }) => (
      <Link href={`/clusters/${id}`} className="strong" tabIndex={0}>
        {name}
      </Link>
    ),
  },
  {
    key: 'status',
    title: 'Status',
    width: 'minmax(7rem, 8rem)',
    sort: 'status',
    cell: ({ status }) => <Status status={status} />,
  },
  {
    key: 'nodes',
    title: 'Nodes',
    width: '5.5rem',
    sort: 'nodeCounts.total',
    cell: ({ nodeCounts: { ready, total } = { ready: 0, total: 0 } }) => (
      <span className={ready < total ? 'short' : undefined}>
        {ready}/{total}
      </span>
    ),
  },
  {
    key: 'why',
    title: 'Why',
    width: 'minmax(0, 2.6fr)',
    isMinor: true,
    cell: ({ statusReason = '' }) => (
      <span className="why" title={statusReason}>
        {statusReason}
      </span>
    ),
  },
  { key: 'driver', title: 'Driver', width: '7rem', isMinor: true, cell: ({ driver }) => driver },
  {
    key: 'changed',
    title: 'Changed',
    width: '6.5rem',
    sort: 'updatedAt',
    isMinor: true,
    cell: ({ updatedAt }) => <Age time={updatedAt} />,
  },
];

/** All clusters. The server sorts, filters and counts; the page holds what it shows. */
export function ClustersPage() {
  const [get, set] = useUrl();
  const summary = useSummary();
  const name = get('name') ?? '';
  const status = get('status');
  const sort = get('sort') ?? 'name';
  const [at] = useMoment();
  const query = {
    ...(name === '' ? {} : { 'name~': name }),
    ...(status === undefined ? {} : { status }),
  };
  const list = useLiveList(clusterList, { sort, ...query, ...past(at) }, at === undefined);
  const { items, total, error, isLoading, added, isOlder, more, reload } = list;
  const isFiltered = name !== '' || status !== undefined;
  return (
    <div className="list-page">
      <PageHead
        title="Clusters"
        actions={
          <Link href="/change/cluster" className="primary">
            New cluster
          </Link>
        }
      />
      <div className="toolbar">
        <Filter label="Filter by the beginning of the name" value={name} onChange={value => set({ name: value })} />
        <StatusChips
          numbers={summary.data?.['clusters'] ?? {}}
          chosen={status?.split(',') ?? []}
          onChange={chosen => set({ status: chosen.join() })}
        />
      </div>
      {error ? <ErrorState error={error} retry={reload} /> : null}
      {isLoading && !error ? <Loading /> : null}
      {!isLoading && items.length === 0 ? (
        <Empty title={isFiltered ? 'No cluster like this' : 'No cluster yet'}>
          <CommandLine>{shell`stave clusters create shop --set driver=fake`}</CommandLine>
        </Empty>
      ) : null}
      {items.length > 0 ? (
        <VirtualTable
          label="Clusters"
          href={({ id }) => `/clusters/${id}`}
          onSort={value => set({ sort: value })}
          {...{ columns, items, total, sort, more, isOlder }}
        />
      ) : null}
      <ListFoot
        what="clusters"
        shown={items.length}
        {...{ total, added, reload }}
        command={listCommand(shell`stave clusters list`, { query, sort: get('sort'), at })}
      />
    </div>
  );
}
