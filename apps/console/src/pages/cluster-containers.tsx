import { containerList } from '../api/queries.js';
import type { Cluster, Container } from '../api/types.js';
import { CommandLine, Empty } from '../parts/states.js';
import { Status } from '../parts/status.js';
import { Age } from '../parts/time.js';
import type { Column } from '../parts/virtual-table.js';
import { ClusterList } from './cluster-list.js';

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
  return (
    <ClusterList
      what="containers"
      listOf={containerList}
      command={`stave containers list --filter clusterId=${cluster.name}`}
      empty={
        <Empty title="No containers">
          <p>A profile says what a container is, and the scheduler chooses its node.</p>
          <CommandLine>{`stave containers create web-1 --set profile=web`}</CommandLine>
        </Empty>
      }
      {...{ cluster, at, columns }}
    />
  );
}
