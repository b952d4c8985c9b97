import { Link } from 'wouter';
import type { Node } from '../api/types.js';
import { changedColumn } from '../parts/columns.js';
import { Status } from '../parts/status.js';
import type { Column } from '../parts/virtual-table.js';

/** Nodes of one group have numbers: by them `workers-2` is before `workers-10`. Between groups it is the order of their ids. */
export const ORDER_IN_GROUP = 'nodeGroupId,ordinal';

/** The columns of nodes. `order`: what sorts them by the names that are shown. */
export const nodeColumns = (order: string): readonly Column<Node>[] => [
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(8rem, 1.2fr)',
    sort: order,
    cell: ({ id, name }) => (
      <Link href={`/nodes/${id}`} className="strong">
        {name}
      </Link>
    ),
  },
  {
    key: 'status',
    title: 'Status',
    width: 'minmax(7rem, 8.5rem)',
    sort: 'status',
    cell: ({ status, schedulable, release }) => (
      <Status status={release ? 'WAITING' : status === 'ACTIVE' && !schedulable ? 'CORDONED' : status} />
    ),
  },
  { key: 'zone', title: 'Zone', width: '5rem', sort: 'zone', cell: ({ zone = '' }) => zone },
  {
    key: 'address',
    title: 'Address',
    width: 'minmax(0, 1fr)',
    isMinor: true,
    cell: ({ addresses }) => <code>{addresses[0]}</code>,
  },
  changedColumn(true),
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
];
