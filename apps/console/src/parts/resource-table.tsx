import type { ReactNode } from 'react';
import type { ListKind, Query } from '../api/queries.js';
import { useLiveList } from '../api/use-live-list.js';
import { useMoment } from '../time/moment.js';
import { listCommand } from './list-command.js';
import { ListFoot } from './list-foot.js';
import { ErrorState, Loading } from './states.js';
import { useUrl } from './use-url.js';
import { VirtualTable, type Column } from './virtual-table.js';
import { type ShellCommand } from './shell-command.js';

export interface ResourceTableProps<T extends { readonly id: string }> {
  /** Its identity decides what is read: one that is made anew reads the list anew. */
  readonly kind: ListKind<T>;
  readonly columns: readonly Column<T>[];
  /** In the foot, such as `nodes`. */
  readonly what: string;
  readonly label: string;
  /** Prints the list; flags for filters, order and moment are added to it. */
  readonly command: ShellCommand;
  readonly href?: (item: T) => string;
  /** Filters. */
  readonly query?: Query;
  readonly sort?: string;
  /** Takes the place of the table where there are none. */
  readonly empty: ReactNode;
  /** What stands above the table. */
  readonly above?: (items: readonly T[], total: number) => ReactNode;
  /** The API does not show these as they were. */
  readonly isOnlyNow?: boolean;
}

/** A table of which the server does the sorting, filtering and counting, now or at the moment that the page shows. */
export function ResourceTable<T extends { readonly id: string }>(props: ResourceTableProps<T>) {
  const { kind, columns, what, label, command, href, query = {}, empty, above, isOnlyNow = false } = props;
  const [get, set] = useUrl();
  const [moment] = useMoment();
  const at = isOnlyNow ? undefined : moment;
  const sort = get('sort') ?? props.sort ?? 'name';
  const list = useLiveList(kind, { sort, ...query, ...(at === undefined ? {} : { at }) }, at === undefined);
  const { items, total, error, isLoading, added, isOlder, more, reload } = list;
  if (error) return <ErrorState error={error} retry={reload} />;
  if (isLoading) return <Loading />;
  return (
    <div className="list-page">
      {items.length === 0 ? empty : null}
      {items.length > 0 ? above?.(items, total ?? items.length) : null}
      {items.length > 0 ? (
        <VirtualTable
          onSort={value => set({ sort: value })}
          rowHeight={40}
          {...{ label, columns, items, total, sort, more, isOlder, ...(href ? { href } : {}) }}
        />
      ) : null}
      <ListFoot
        shown={items.length}
        command={listCommand(command, { query, sort: get('sort'), at })}
        {...{ what, total, added, reload }}
      />
    </div>
  );
}
