import { useMemo } from 'react';
import { listOf } from '../api/lists.js';
import { useReference } from '../api/names.js';
import type { Container, Node } from '../api/types.js';
import { VerbButtons } from '../changes/verb-buttons.js';
import { Changed, StatusReason } from '../parts/facts.js';
import { DetailPage, type Part } from '../parts/detail-page.js';
import { AwaitedRelease } from '../parts/awaited-release.js';
import { Resource } from '../parts/resource.js';
import { ResourceTable } from '../parts/resource-table.js';
import { Empty } from '../parts/states.js';
import { Status } from '../parts/status.js';
import { containerColumnsOnNode } from './container-columns.js';
import { shell } from '../parts/shell-command.js';

function Containers({ node }: { readonly node: Node }) {
  const kind = useMemo(
    () => listOf<Container>('container', { nodeId: node.id }, node.clusterId),
    [node.id, node.clusterId],
  );
  return (
    <ResourceTable
      label={`Containers on ${node.name}`}
      what="containers"
      command={shell`stave containers list --filter nodeId=${node.id}`}
      columns={containerColumnsOnNode}
      href={({ id }) => `/containers/${id}`}
      empty={<Empty title="No container is on it" />}
      {...{ kind }}
    />
  );
}

const parts: readonly Part<Node>[] = [
  { name: 'containers', title: 'Containers', content: node => <Containers node={node} /> },
];

function Actions({ node }: { readonly node: Node }) {
  const { id, name, schedulable } = node;
  const verbs = [schedulable ? 'cordon' : 'uncordon', 'drain', 'replace'];
  return <VerbButtons type="node" reference={useReference(node)} {...{ id, name, verbs }} />;
}

function Facts({ node }: { readonly node: Node }) {
  const {
    status,
    schedulable,
    statusReason,
    role,
    zone,
    clusterId,
    nodeGroupId,
    capacity,
    addresses,
    engineVersion,
    machineId,
    updatedAt,
    release,
  } = node;
  return (
    <>
      <p className="facts">
        <Status status={release ? 'WAITING' : status} />
        {schedulable || release ? null : <Status status="CORDONED" />}
        <span>
          of <Resource type="nodeGroup" id={nodeGroupId} /> in <Resource type="cluster" id={clusterId} />
        </span>
        <span className="dim">
          {role}
          {zone === undefined ? '' : `, zone ${zone}`}
        </span>
        {capacity ? (
          <span className="dim">
            {capacity.cpus} CPU, {capacity.memoryMb} MB
          </span>
        ) : null}
        {addresses[0] ? <code>{addresses[0]}</code> : null}
        {engineVersion ? <span className="dim">engine {engineVersion}</span> : null}
        {machineId ? (
          <span>
            on machine <Resource type="machine" id={machineId} />
          </span>
        ) : null}
        <Changed time={updatedAt} />
      </p>
      {release ? null : <StatusReason status={status} statusReason={statusReason} />}
    </>
  );
}

function Waits({ node }: { readonly node: Node }) {
  const { id, name, release } = node;
  return <AwaitedRelease type="node" reference={useReference(node)} {...{ id, name, release }} />;
}

/** A node: what is on it, and what happened to it. */
export const NodePage = ({ id, tab }: { readonly id: string; readonly tab: string | undefined }) => (
  <DetailPage<Node>
    type="node"
    within={['/clusters', 'Clusters']}
    useReference={useReference}
    facts={node => <Facts node={node} />}
    actions={node => <Actions node={node} />}
    above={node => <Waits node={node} />}
    {...{ id, tab, parts }}
  />
);
