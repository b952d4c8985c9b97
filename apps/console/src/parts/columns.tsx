import { Link } from 'wouter';
import { Resource } from './resource.js';
import { Status } from './status.js';
import { Age } from './time.js';
import type { Column } from './virtual-table.js';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The name, which leads to the page of the resource below `page`. */
export const nameColumn = <T extends Named>(page: string, width = 'minmax(8rem, 1fr)', title = 'Name'): Column<T> => ({
  key: 'name',
  title,
  width,
  sort: 'name',
  cell: ({ id, name }) => (
    <Link href={`${page}/${id}`} className="strong">
      {name}
    </Link>
  ),
});

export const statusColumn = <T extends { readonly status: string }>(width: string): Column<T> => ({
  key: 'status',
  title: 'Status',
  width,
  sort: 'status',
  cell: ({ status }) => <Status status={status} />,
});

export const clusterColumn = <T extends { readonly clusterId: string | null }>(width: string): Column<T> => ({
  key: 'cluster',
  title: 'Cluster',
  width,
  isMinor: true,
  cell: ({ clusterId }) => <Resource type="cluster" id={clusterId} />,
});

/** When it changed last. */
export const changedColumn = <T extends { readonly updatedAt: string }>(isMinor = false): Column<T> => ({
  key: 'changed',
  title: 'Changed',
  width: '6.5rem',
  sort: 'updatedAt',
  isMinor,
  cell: ({ updatedAt }) => <Age time={updatedAt} />,
});
