import { ProblemError } from '@stave/client';
import { Link } from 'wouter';
import { useCluster, useNodeGroups } from '../api/queries.js';
import type { Cluster, NodeGroup } from '../api/types.js';
import { PageHead } from '../parts/page-head.js';
import { CommandLine, Empty, ErrorState, Loading } from '../parts/states.js';
import { Status } from '../parts/status.js';
import { Age } from '../parts/time.js';
import { useUrl } from '../parts/use-url.js';
import { ClusterContainers } from './cluster-containers.js';
import { ClusterHistory } from './cluster-history.js';
import { ClusterNodes } from './cluster-nodes.js';
import { ClusterOperations } from './cluster-operations.js';
import { ResizeGroup } from './resize-group.js';

const tabs = [
  ['nodes', 'Nodes'],
  ['containers', 'Containers'],
  ['operations', 'Operations'],
  ['history', 'History'],
] as const;

const sizeOf = ({ flavor }: NodeGroup): string =>
  [`${flavor.cpus} CPU`, `${Math.round((flavor.memoryMb ?? 0) / 102.4) / 10} GB`].join(', ');

function Group({
  cluster,
  group,
  isPast,
}: {
  readonly cluster: Cluster;
  readonly group: NodeGroup;
  readonly isPast: boolean;
}) {
  const { name, role, status, statusReason, nodesReady, nodesTotal, nodesOutdated = 0, count, zones } = group;
  return (
    <li className="card">
      <div className="line">
        <span className="strong">{name}</span>
        <Status status={status} />
        <span className="space" />
        {isPast ? null : <ResizeGroup cluster={cluster} group={group} />}
      </div>
      <p className="big">
        {nodesReady} <span className="dim">of {count} ready</span>
      </p>
      <p className="dim">
        {role}, {sizeOf(group)}
        {zones.length > 0 ? `, ${zones.map(zone => (typeof zone === 'string' ? zone : zone.name)).join(' ')}` : ''}
      </p>
      {nodesOutdated > 0 ? (
        <p className="dim">
          {nodesOutdated} of {nodesTotal} not updated yet
        </p>
      ) : null}
      {statusReason ? <p className="why">{statusReason}</p> : null}
    </li>
  );
}

function Groups({ cluster, at }: { readonly cluster: Cluster; readonly at: string | undefined }) {
  const { data, error, refetch } = useNodeGroups(cluster.id, at);
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={3} />;
  const left = (data.total ?? data.items.length) - data.items.length;
  return (
    <>
      <ul className="cards" aria-label="Node groups">
        {data.items.map(group => (
          <Group key={group.id} isPast={at !== undefined} {...{ cluster, group }} />
        ))}
      </ul>
      {data.items.length === 0 ? <p className="dim quiet-line">This cluster has no node group.</p> : null}
      {left > 0 ? <p className="dim note">{left} more groups are not shown.</p> : null}
    </>
  );
}

/** Says that the page shows a moment that is over, and leads back. */
function PastBanner({ at, leave }: { readonly at: string; readonly leave: () => void }) {
  return (
    <div className="past" role="status">
      <span>
        As it was at <b>{new Date(at).toLocaleString()}</b>
      </span>
      <button type="button" onClick={leave}>
        Back to now
      </button>
    </div>
  );
}

function Facts({ cluster }: { readonly cluster: Cluster }) {
  const { status, health, nodeCounts, driver, driverVersion, conductorGroup, labels, updatedAt, statusReason } =
    cluster;
  return (
    <>
      <p className="facts">
        <Status status={status} />
        {health === 'UNKNOWN' ? null : <Status status={health} />}
        <span>
          {nodeCounts?.ready ?? 0} of {nodeCounts?.total ?? 0} nodes ready
        </span>
        <span className="dim">
          {driver} {driverVersion}
        </span>
        <span className="dim">{conductorGroup === '' ? 'default group' : conductorGroup}</span>
        <span className="dim">
          changed <Age time={updatedAt} />
        </span>
      </p>
      <p className="labels">
        {Object.entries(labels).map(([key, value]) => (
          <span key={key}>
            {key}={value}
          </span>
        ))}
      </p>
      {statusReason ? (
        <p className="reason">
          <b>Why {status.toLowerCase()}:</b> {statusReason}
        </p>
      ) : null}
    </>
  );
}

/** Takes the place of a page whose cluster was deleted while it was open. */
function Deleted({ cluster: { id, name } }: { readonly cluster: Cluster }) {
  return (
    <>
      <PageHead title={name} within={[['/clusters', 'Clusters']]} />
      <Empty title="This cluster was deleted">
        <p>Its history stays:</p>
        <CommandLine>{`stave clusters history ${id}`}</CommandLine>
      </Empty>
    </>
  );
}

/** Why a cluster is in its state, what it is made of, what happens in it, and what happened. */
export function ClusterPage({ id, tab }: { readonly id: string; readonly tab: string }) {
  const [get, set] = useUrl();
  const at = get('at');
  const { data: cluster, error, refetch } = useCluster(id, at);
  const search = at === undefined ? '' : `?at=${encodeURIComponent(at)}`;
  const leave = (): void => set({ at: undefined });
  if (cluster && at === undefined && error instanceof ProblemError && error.status === 404)
    return <Deleted cluster={cluster} />;
  if (error && !cluster)
    return (
      <>
        {at === undefined ? null : <PastBanner {...{ at, leave }} />}
        <ErrorState error={error} retry={() => void refetch()} />
      </>
    );
  if (!cluster) return <Loading />;
  return (
    <>
      {at === undefined ? null : <PastBanner {...{ at, leave }} />}
      <PageHead title={cluster.name} within={[['/clusters', 'Clusters']]}>
        <Facts cluster={cluster} />
      </PageHead>
      <Groups cluster={cluster} at={at} />
      <nav className="tabs" aria-label={`Parts of ${cluster.name}`}>
        {tabs.map(([name, title]) => (
          <Link key={name} href={`/clusters/${id}/${name}${search}`} aria-current={name === tab ? 'page' : undefined}>
            {title}
          </Link>
        ))}
      </nav>
      {tab === 'nodes' ? <ClusterNodes cluster={cluster} at={at} /> : null}
      {tab === 'containers' ? <ClusterContainers cluster={cluster} at={at} /> : null}
      {tab === 'operations' ? <ClusterOperations cluster={cluster} /> : null}
      {tab === 'history' ? <ClusterHistory cluster={cluster} at={at} setAt={value => set({ at: value })} /> : null}
      {tabs.some(([name]) => name === tab) ? null : <Empty title="There is no such part" />}
      <CommandLine>{`stave clusters get ${cluster.name}${at === undefined ? '' : ` --at ${at}`}`}</CommandLine>
    </>
  );
}
