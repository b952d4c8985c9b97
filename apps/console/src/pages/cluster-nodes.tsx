import { nodeList, useNodeGroups } from '../api/queries.js';
import type { Cluster } from '../api/types.js';
import { Empty, Loading } from '../parts/states.js';
import { ClusterList } from './cluster-list.js';
import { nodeColumns, ORDER_IN_GROUP } from './node-columns.js';
import { shell } from '../parts/shell-command.js';
import { useMoment, useReferenceThen } from '../time/moment.js';

const orders = { name: nodeColumns('name'), [ORDER_IN_GROUP]: nodeColumns(ORDER_IN_GROUP) };

/** The nodes of a cluster. Those of several groups are sorted by name, since the order of groups is that of their ids. */
export function ClusterNodes({ cluster }: { readonly cluster: Cluster }) {
  const [at] = useMoment();
  const reference = useReferenceThen(cluster);
  const groups = useNodeGroups(cluster.id, at);
  if (groups.isPending) return <Loading />;
  const sort = groups.data?.items.length === 1 ? ORDER_IN_GROUP : 'name';
  return (
    <ClusterList
      what="nodes"
      listOf={nodeList}
      sort={sort}
      href={({ id }) => `/nodes/${id}`}
      command={shell`stave nodes list --cluster ${reference}`}
      empty={
        <Empty title="No nodes">
          <p>Its groups want none, or none has been declared yet.</p>
        </Empty>
      }
      columns={orders[sort]}
      cluster={cluster}
    />
  );
}
