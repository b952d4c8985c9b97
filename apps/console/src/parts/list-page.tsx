import { useMemo, type ReactNode } from 'react';
import type { ListKind, Query } from '../api/queries.js';
import { Filter, StatusChips } from './filter.js';
import { PageHead } from './page-head.js';
import { ResourceTable } from './resource-table.js';
import { Empty } from './states.js';
import { useUrl } from './use-url.js';
import type { Column } from './virtual-table.js';
import type { ShellCommand } from './shell-command.js';

interface ListPageProps<T extends { readonly id: string }> {
  readonly title: string;
  readonly kind: ListKind<T>;
  readonly columns: readonly Column<T>[];
  readonly what: string;
  readonly command: ShellCommand;
  readonly href?: (item: T) => string;
  /** Statuses with their numbers; absent where the list has none. */
  readonly numbers?: Readonly<Record<string, number>>;
  readonly statuses?: readonly string[];
  readonly hasNames?: boolean;
  readonly sort?: string;
  /** What it is, and how one is made. */
  readonly empty: ReactNode;
  /** Beside the title. */
  readonly actions?: ReactNode;
  readonly above?: ReactNode;
  readonly isOnlyNow?: boolean;
}

/** A page with a list: its title, its filters in the address, and its table. */
export function ListPage<T extends { readonly id: string }>(props: ListPageProps<T>) {
  const {
    title,
    kind,
    columns,
    what,
    command,
    href,
    numbers,
    statuses,
    hasNames = true,
    empty,
    actions,
    above,
  } = props;
  const [get, set] = useUrl();
  const name = get('name') ?? '';
  const status = get('status');
  const query: Query = useMemo(
    () => ({ ...(name === '' ? {} : { 'name~': name }), ...(status === undefined ? {} : { status }) }),
    [name, status],
  );
  const isFiltered = name !== '' || status !== undefined;
  const hasStatuses = numbers !== undefined || statuses !== undefined;
  return (
    <>
      <PageHead title={title} actions={actions} />
      {above}
      {hasNames || hasStatuses ? (
        <div className="toolbar">
          {hasNames ? (
            <Filter label="Filter by the beginning of the name" value={name} onChange={value => set({ name: value })} />
          ) : null}
          {hasStatuses ? (
            <StatusChips
              numbers={numbers ?? {}}
              {...(statuses ? { statuses } : {})}
              chosen={status?.split(',') ?? []}
              onChange={chosen => set({ status: chosen.join() })}
            />
          ) : null}
        </div>
      ) : null}
      <ResourceTable
        label={title}
        empty={isFiltered ? <Empty title={`No ${what} like this`} /> : empty}
        {...{ kind, columns, what, query, command }}
        {...(href ? { href } : {})}
        {...(props.sort ? { sort: props.sort } : {})}
        {...(props.isOnlyNow ? { isOnlyNow: true } : {})}
      />
    </>
  );
}
