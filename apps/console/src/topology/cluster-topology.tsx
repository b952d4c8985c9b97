import { groupBy } from '../api/group-by.js';
import { useNodeGroups } from '../api/queries.js';
import type { Cluster } from '../api/types.js';
import { Resource } from '../parts/resource.js';
import { CommandLine, Empty, ErrorState, Loading } from '../parts/states.js';
import { byConcern, Status } from '../parts/status.js';
import { NodeCards } from './node-cards.js';
import { NodeGrid } from './node-grid.js';
import { MAX_NODES, useTopology, type Topology, type TopologyNode } from './read-topology.js';
import { flag, shell } from '../parts/shell-command.js';
import { referenceAt } from '../time/moment.js';

/** More nodes than this are cells and not cards. */
const MAX_CARDS = 36;

function counts(nodes: readonly TopologyNode[]) {
  const numbers = groupBy(nodes, ({ status }) => status);
  return [...numbers]
    .sort(([a], [b]) => byConcern(a, b))
    .map(([status, { length }]) => <Status key={status} status={status} count={length} />);
}

const mean = (nodes: readonly TopologyNode[], of: (node: TopologyNode) => number): number =>
  nodes.length === 0 ? 0 : Math.round((nodes.reduce((sum, node) => sum + of(node), 0) / nodes.length) * 100);

function Zone({
  zone,
  nodes,
  topology,
}: {
  readonly zone: string;
  readonly nodes: readonly TopologyNode[];
  readonly topology: Topology;
}) {
  const title = zone === '' ? 'No zone' : `Zone ${zone}`;
  return (
    <section className="panel zone" aria-label={title}>
      <div className="line">
        <h2>{title}</h2>
        <span className="statuses">{counts(nodes)}</span>
        <span className="space" />
        {topology.containers === undefined ? null : (
          <span className="dim">
            {mean(nodes, ({ cpus }) => cpus)} % of CPUs, {mean(nodes, ({ memory }) => memory)} % of memory allocated
          </span>
        )}
      </div>
      {topology.total <= MAX_CARDS ? (
        <NodeCards nodes={nodes} hasContainers={topology.containers !== undefined} />
      ) : (
        <NodeGrid zone={title} nodes={nodes} />
      )}
    </section>
  );
}

/** Takes the place of nodes where there are too many to tell them apart. */
function ByGroup({
  cluster,
  total,
  at,
}: {
  readonly cluster: Cluster;
  readonly total: number;
  readonly at: string | undefined;
}) {
  const { data } = useNodeGroups(cluster.id, at);
  return (
    <>
      <p className="reason">
        This cluster has {total.toLocaleString('en')} nodes. More than {MAX_NODES.toLocaleString('en')} are shown by
        group, not one by one.
      </p>
      <ul className="cards">
        {data?.items.map(({ id, nodesReady = 0, nodesTotal = 0, status }) => (
          <li key={id} className="card">
            <div className="line">
              <Resource type="nodeGroup" id={id} className="strong" />
              <Status status={status} />
            </div>
            <p className="big">
              {nodesReady.toLocaleString('en')}{' '}
              <span className="dim">of {nodesTotal.toLocaleString('en')} nodes ready</span>
            </p>
            <progress
              max={Math.max(1, nodesTotal)}
              value={nodesReady}
              aria-label={`${nodesReady} of ${nodesTotal} nodes are ready`}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The nodes of a cluster by zone, what is on them, and how much room they have. */
export function ClusterTopology({ cluster, at }: { readonly cluster: Cluster; readonly at: string | undefined }) {
  const { data, error, refetch } = useTopology(cluster.id, at);
  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (data.total === 0) return <Empty title="No nodes" />;
  if (data.zones.length === 0) return <ByGroup total={data.total} {...{ cluster, at }} />;
  return (
    <>
      {data.zones.map(([zone, nodes]) => (
        <Zone key={zone} topology={data} {...{ zone, nodes }} />
      ))}
      {data.containers === undefined ? (
        <p className="dim note">There are more than 10,000 containers: they, and the room they leave, are not shown.</p>
      ) : null}
      <CommandLine>{shell`stave nodes list --cluster ${referenceAt(at, cluster)} -o wide${flag('at', at)}`}</CommandLine>
    </>
  );
}
