import { nodeList } from '../api/queries.js';
import type { Cluster, Node } from '../api/types.js';
import { useLiveList } from '../api/use-live-list.js';
import { useMemo } from 'react';
import { ListFoot } from '../parts/list-foot.js';
import { NodeMap } from '../parts/node-map.js';
import { Empty, ErrorState, Loading } from '../parts/states.js';
import { Status } from '../parts/status.js';
import { useUrl } from '../parts/use-url.js';
import { VirtualTable, type Column } from '../parts/virtual-table.js';

const columns: readonly Column<Node>[] = [
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(8rem, 1.2fr)',
    sort: 'name',
    cell: ({ name }) => <span className="strong">{name}</span>,
  },
  {
    key: 'status',
    title: 'Status',
    width: 'minmax(7rem, 8.5rem)',
    sort: 'status',
    cell: ({ status }) => <Status status={status} />,
  },
  { key: 'zone', title: 'Zone', width: '5rem', sort: 'zone', cell: ({ zone = '' }) => zone },
  {
    key: 'address',
    title: 'Address',
    width: 'minmax(0, 1fr)',
    isMinor: true,
    cell: ({ addresses }) => <code>{addresses[0]}</code>,
  },
  {
    key: 'why',
    title: 'Why',
    width: 'minmax(0, 2.4fr)',
    isMinor: true,
    cell: ({ statusReason = '' }) => (
      <span className="why" title={statusReason}>
        {statusReason}
      </span>
    ),
  },
  { key: 'attempts', title: 'Attempts', width: '5rem', isMinor: true, cell: ({ attempts }) => attempts },
];

/** The nodes of a cluster: a map of what is read, by zone, and the table. */
export function ClusterNodes({ cluster, at }: { readonly cluster: Cluster; readonly at: string | undefined }) {
  const [get, set] = useUrl();
  const sort = get('sort') ?? 'name';
  const kind = useMemo(() => nodeList(cluster.id), [cluster.id]);
  const { items, total, error, isLoading, added, isOlder, more, reload } = useLiveList(
    kind,
    { sort, ...(at === undefined ? {} : { at }) },
    at === undefined,
  );
  if (error) return <ErrorState error={error} retry={reload} />;
  if (isLoading) return <Loading />;
  if (items.length === 0)
    return (
      <Empty title="No nodes">
        <p>Its groups want none, or none has been declared yet.</p>
      </Empty>
    );
  return (
    <div className="list-page">
      <NodeMap nodes={items} total={total ?? items.length} />
      <VirtualTable
        label={`Nodes of ${cluster.name}`}
        onSort={value => set({ sort: value })}
        rowHeight={38}
        {...{ columns, items, total, sort, more, isOlder }}
      />
      <ListFoot
        what="nodes"
        shown={items.length}
        command={`stave nodes list --cluster ${cluster.name}`}
        {...{ total, added, reload }}
      />
    </div>
  );
}
