import { useMemo, type ReactNode } from 'react';
import type { ListKind } from '../api/queries.js';
import type { Cluster } from '../api/types.js';
import { useLiveList } from '../api/use-live-list.js';
import { ListFoot } from '../parts/list-foot.js';
import { ErrorState, Loading } from '../parts/states.js';
import { useUrl } from '../parts/use-url.js';
import { VirtualTable, type Column } from '../parts/virtual-table.js';

interface ClusterListProps<T extends { readonly id: string }> {
  readonly cluster: Cluster;
  readonly at: string | undefined;
  readonly listOf: (clusterId: string) => ListKind<T>;
  readonly columns: readonly Column<T>[];
  /** Such as `nodes`. */
  readonly what: string;
  readonly command: string;
  /** Takes the place of the table where there are none. */
  readonly empty: ReactNode;
  /** What stands above the table. */
  readonly above?: (items: readonly T[], total: number) => ReactNode;
}

/** A table of what a cluster has of one type, now or at a time of the past. */
export function ClusterList<T extends { readonly id: string }>(props: ClusterListProps<T>) {
  const { cluster, at, listOf, columns, what, command, empty, above } = props;
  const [get, set] = useUrl();
  const sort = get('sort') ?? 'name';
  const kind = useMemo(() => listOf(cluster.id), [listOf, cluster.id]);
  const { items, total, error, isLoading, added, isOlder, more, reload } = useLiveList(
    kind,
    { sort, ...(at === undefined ? {} : { at }) },
    at === undefined,
  );
  if (error) return <ErrorState error={error} retry={reload} />;
  if (isLoading) return <Loading />;
  if (items.length === 0) return empty;
  return (
    <div className="list-page">
      {above?.(items, total ?? items.length)}
      <VirtualTable
        label={`${what.charAt(0).toUpperCase()}${what.slice(1)} of ${cluster.name}`}
        onSort={value => set({ sort: value })}
        rowHeight={38}
        {...{ columns, items, total, sort, more, isOlder }}
      />
      <ListFoot shown={items.length} {...{ what, command, total, added, reload }} />
    </div>
  );
}
