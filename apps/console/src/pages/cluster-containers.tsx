import { useMemo } from 'react';
import { containerList } from '../api/queries.js';
import type { Cluster, Container } from '../api/types.js';
import { useLiveList } from '../api/use-live-list.js';
import { ListFoot } from '../parts/list-foot.js';
import { CommandLine, Empty, ErrorState, Loading } from '../parts/states.js';
import { Status } from '../parts/status.js';
import { Age } from '../parts/time.js';
import { useUrl } from '../parts/use-url.js';
import { VirtualTable, type Column } from '../parts/virtual-table.js';

const columns: readonly Column<Container>[] = [
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(8rem, 1.2fr)',
    sort: 'name',
    cell: ({ name }) => <span className="strong">{name}</span>,
  },
  { key: 'status', title: 'Status', width: 'minmax(7rem, 9rem)', cell: ({ status }) => <Status status={status} /> },
  { key: 'image', title: 'Image', width: 'minmax(0, 1.4fr)', isMinor: true, cell: ({ image }) => <code>{image}</code> },
  { key: 'restarts', title: 'Restarts', width: '5.5rem', isMinor: true, cell: ({ restarts }) => restarts },
  {
    key: 'changed',
    title: 'Changed',
    width: '6.5rem',
    sort: 'updatedAt',
    cell: ({ updatedAt }) => <Age time={updatedAt} />,
  },
];

export function ClusterContainers({ cluster, at }: { readonly cluster: Cluster; readonly at: string | undefined }) {
  const [get, set] = useUrl();
  const sort = get('sort') ?? 'name';
  const kind = useMemo(() => containerList(cluster.id), [cluster.id]);
  const { items, total, error, isLoading, added, isOlder, more, reload } = useLiveList(
    kind,
    { sort, ...(at === undefined ? {} : { at }) },
    at === undefined,
  );
  if (error) return <ErrorState error={error} retry={reload} />;
  if (isLoading) return <Loading />;
  if (items.length === 0)
    return (
      <Empty title="No containers">
        <p>A profile says what a container is, and the scheduler chooses its node.</p>
        <CommandLine>{`stave containers create web-1 --set profile=web`}</CommandLine>
      </Empty>
    );
  return (
    <div className="list-page">
      <VirtualTable
        label={`Containers of ${cluster.name}`}
        onSort={value => set({ sort: value })}
        rowHeight={38}
        {...{ columns, items, total, sort, more, isOlder }}
      />
      <ListFoot
        what="containers"
        shown={items.length}
        command={`stave containers list --filter clusterId=${cluster.name}`}
        {...{ total, added, reload }}
      />
    </div>
  );
}
