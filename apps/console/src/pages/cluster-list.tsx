import { useMemo, type ReactNode } from 'react';
import type { ListKind } from '../api/queries.js';
import type { Cluster } from '../api/types.js';
import { ResourceTable } from '../parts/resource-table.js';
import type { Column } from '../parts/virtual-table.js';
import { type ShellCommand } from '../parts/shell-command.js';

interface ClusterListProps<T extends { readonly id: string }> {
  readonly cluster: Cluster;
  readonly listOf: (clusterId: string) => ListKind<T>;
  readonly columns: readonly Column<T>[];
  /** Such as `nodes`. */
  readonly what: string;
  readonly command: ShellCommand;
  readonly href: (item: T) => string;
  readonly sort?: string;
  /** Takes the place of the table where there are none. */
  readonly empty: ReactNode;
}

/** A table of what a cluster has of one type, now or at a time of the past. */
export function ClusterList<T extends { readonly id: string }>(props: ClusterListProps<T>) {
  const { cluster, listOf, columns, what, command, href, empty, sort } = props;
  const kind = useMemo(() => listOf(cluster.id), [listOf, cluster.id]);
  return (
    <ResourceTable
      label={`${what.charAt(0).toUpperCase()}${what.slice(1)} of ${cluster.name}`}
      {...{ kind, columns, what, command, href, empty }}
      {...(sort ? { sort } : {})}
    />
  );
}
