import { containerList } from '../api/queries.js';
import type { Cluster } from '../api/types.js';
import { CommandLine, Empty } from '../parts/states.js';
import { ClusterList } from './cluster-list.js';
import { containerColumnsInCluster } from './container-columns.js';
import { shell } from '../parts/shell-command.js';
import { useReferenceThen } from '../time/moment.js';

export function ClusterContainers({ cluster }: { readonly cluster: Cluster }) {
  const reference = useReferenceThen(cluster);
  return (
    <ClusterList
      what="containers"
      listOf={containerList}
      href={({ id }) => `/containers/${id}`}
      command={shell`stave containers list --filter clusterId=${reference}`}
      empty={
        <Empty title="No containers">
          <p>A profile says what a container is, and the scheduler chooses its node.</p>
          <CommandLine>{shell`stave containers create web-1 --set profile=web`}</CommandLine>
        </Empty>
      }
      columns={containerColumnsInCluster}
      cluster={cluster}
    />
  );
}
