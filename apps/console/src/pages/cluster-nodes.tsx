import { nodeList } from '../api/queries.js';
import type { Cluster, Node } from '../api/types.js';
import { NodeMap } from '../parts/node-map.js';
import { Empty } from '../parts/states.js';
import { Status } from '../parts/status.js';
import type { Column } from '../parts/virtual-table.js';
import { ClusterList } from './cluster-list.js';

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
  return (
    <ClusterList
      what="nodes"
      listOf={nodeList}
      command={`stave nodes list --cluster ${cluster.name}`}
      empty={
        <Empty title="No nodes">
          <p>Its groups want none, or none has been declared yet.</p>
        </Empty>
      }
      above={(items, total) => <NodeMap nodes={items} total={total} />}
      {...{ cluster, at, columns }}
    />
  );
}
