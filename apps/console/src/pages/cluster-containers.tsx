import { containerList } from '../api/queries.js';
import type { Cluster } from '../api/types.js';
import { CommandLine, Empty } from '../parts/states.js';
import { ClusterList } from './cluster-list.js';
import { containerColumnsInCluster } from './container-columns.js';

export function ClusterContainers({ cluster }: { readonly cluster: Cluster }) {
  return (
    <ClusterList
      what="containers"
      listOf={containerList}
      href={({ id }) => `/containers/${id}`}
      command={`stave containers list --filter clusterId=${cluster.name}`}
      empty={
        <Empty title="No containers">
          <p>A profile says what a container is, and the scheduler chooses its node.</p>
          <CommandLine>{`stave containers create web-1 --set profile=web`}</CommandLine>
        </Empty>
      }
      columns={containerColumnsInCluster}
      cluster={cluster}
    />
  );
}
