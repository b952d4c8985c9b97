import { useOperations } from '../api/queries.js';
import type { Cluster } from '../api/types.js';
import { OperationRow } from '../parts/operation-row.js';
import { ErrorState, Loading } from '../parts/states.js';

const LIMIT = 50;

export function ClusterOperations({ cluster }: { readonly cluster: Cluster }) {
  const query = { clusterId: cluster.id, limit: LIMIT, sort: '-createdAt', total: true };
  const { data, error, refetch } = useOperations(query, { ids: [cluster.id] });
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const left = (data.total ?? 0) - data.items.length;
  return (
    <>
      <ul className="plain panel">
        {data.items.map(operation => (
          <OperationRow key={operation.id} operation={operation} />
        ))}
        {data.items.length === 0 ? <li className="dim">No operation is kept of this cluster.</li> : null}
      </ul>
      {left > 0 ? <p className="dim note">{left} older ones are not shown.</p> : null}
    </>
  );
}
