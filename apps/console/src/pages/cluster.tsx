import { ProblemError } from '@stave/client';
import { Link } from 'wouter';
import { inNaturalOrder } from '../api/natural-order.js';
import { useCluster, useNodeGroups } from '../api/queries.js';
import type { Cluster, NodeGroup } from '../api/types.js';
import { ChangeButton } from '../changes/change-button.js';
import { Changed, StatusReason } from '../parts/facts.js';
import { EventList } from '../parts/event-list.js';
import { Gone } from '../parts/gone.js';
import { PageHead } from '../parts/page-head.js';
import { CommandLine, Empty, ErrorState, Loading } from '../parts/states.js';
import { Status } from '../parts/status.js';
import { Tabs } from '../parts/tabs.js';
import { PoliciesOf } from '../policies/policies-of.js';
import { referenceAt, useMoment } from '../time/moment.js';
import { ClusterTopology } from '../topology/cluster-topology.js';
import { ClusterContainers } from './cluster-containers.js';
import { ClusterNodes } from './cluster-nodes.js';
import { ClusterOperations } from './cluster-operations.js';
import { ResizeGroup } from './resize-group.js';
import { flag, shell } from '../parts/shell-command.js';

const tabs = [
  ['nodes', 'Nodes'],
  ['topology', 'Topology'],
  ['containers', 'Containers'],
  ['policies', 'Policies'],
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
        <Link href={`/groups/${group.id}`} className="strong">
          {name}
        </Link>
        <Status status={status} />
        <span className="space" />
        {isPast ? null : <ResizeGroup cluster={cluster.name} group={group} />}
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
        {inNaturalOrder(data.items, 'name').map(group => (
          <Group key={group.id} isPast={at !== undefined} {...{ cluster, group }} />
        ))}
      </ul>
      {data.items.length === 0 ? <p className="dim quiet-line">This cluster has no node group.</p> : null}
      {left > 0 ? <p className="dim note">{left} more groups are not shown.</p> : null}
    </>
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
        <Changed time={updatedAt} />
      </p>
      <p className="labels">
        {Object.entries(labels).map(([key, value]) => (
          <span key={key}>
            {key}={value}
          </span>
        ))}
      </p>
      <StatusReason status={status} statusReason={statusReason} />
    </>
  );
}

function Actions({ cluster: { id, name } }: { readonly cluster: Cluster }) {
  const [at] = useMoment();
  if (at !== undefined) return null;
  return (
    <>
      <Link href={`/change/node-group?cluster=${encodeURIComponent(name)}`} className="quiet">
        Add node group
      </Link>
      <ChangeButton
        label="Delete"
        title={`Delete ${name}`}
        typed={name}
        request={{ method: 'delete', path: `/v1/clusters/${id}` }}
        command={shell`stave clusters delete ${name} --plan`}
      />
    </>
  );
}

function Part({
  cluster,
  tab,
  at,
}: {
  readonly cluster: Cluster;
  readonly tab: string;
  readonly at: string | undefined;
}) {
  const { id, name } = cluster;
  if (tab === 'nodes') return <ClusterNodes cluster={cluster} />;
  if (tab === 'topology') return <ClusterTopology cluster={cluster} at={at} />;
  if (tab === 'containers') return <ClusterContainers cluster={cluster} />;
  if (tab === 'policies') return <PoliciesOf type="cluster" {...{ id, name }} />;
  if (tab === 'operations') return <ClusterOperations cluster={cluster} />;
  if (tab === 'history')
    return (
      <EventList label="Events, newest first" choice={{ cluster: id, ...(at === undefined ? {} : { until: at }) }} />
    );
  return <Empty title="There is no such part" />;
}

/** Why a cluster is in its state, what it is made of, what happens in it, and what happened. */
export function ClusterPage({ id, tab }: { readonly id: string; readonly tab: string }) {
  const [at] = useMoment();
  const { data: cluster, error, refetch } = useCluster(id, at);
  if (error instanceof ProblemError && error.status === 404)
    return <Gone type="cluster" within={['/clusters', 'Clusters']} {...{ id, at }} />;
  if (error && !cluster) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!cluster) return <Loading />;
  const { name } = cluster;
  return (
    <>
      <PageHead title={name} within={[['/clusters', 'Clusters']]} actions={<Actions cluster={cluster} />}>
        <Facts cluster={cluster} />
      </PageHead>
      <Groups cluster={cluster} at={at} />
      <Tabs label={`Parts of ${name}`} base={`/clusters/${id}`} {...{ tab, tabs }} />
      <Part {...{ cluster, tab, at }} />
      <CommandLine>{shell`stave clusters get ${referenceAt(at, cluster)}${flag('at', at)}`}</CommandLine>
    </>
  );
}
