import { nodeList } from '../api/queries.js';
import type { Cluster } from '../api/types.js';
import { Empty } from '../parts/states.js';
import { ClusterList } from './cluster-list.js';
import { NODE_ORDER, nodeColumns } from './node-columns.js';
import { shell } from '../parts/shell-command.js';
import { useReferenceThen } from '../time/moment.js';

/** The nodes of a cluster. */
export function ClusterNodes({ cluster }: { readonly cluster: Cluster }) {
  const reference = useReferenceThen(cluster);
  return (
    <ClusterList
      what="nodes"
      listOf={nodeList}
      sort={NODE_ORDER}
      href={({ id }) => `/nodes/${id}`}
      command={shell`stave nodes list --cluster ${reference}`}
      empty={
        <Empty title="No nodes">
          <p>Its groups want none, or none has been declared yet.</p>
        </Empty>
      }
      columns={nodeColumns}
      cluster={cluster}
    />
  );
}
