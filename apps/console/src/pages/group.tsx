import { useMemo } from 'react';
import { GroupAutoscaling } from '../autoscaling/group-autoscaling.js';
import { listOf } from '../api/lists.js';
import { useName, useReference } from '../api/names.js';
import type { Node, NodeGroup } from '../api/types.js';
import { ChangeButton } from '../changes/change-button.js';
import { Changed, StatusReason } from '../parts/facts.js';
import { DetailPage, type Part } from '../parts/detail-page.js';
import { Resource } from '../parts/resource.js';
import { ResourceTable } from '../parts/resource-table.js';
import { Empty } from '../parts/states.js';
import { Status } from '../parts/status.js';
import { PoliciesOf } from '../policies/policies-of.js';
import { useMoment, useReferenceThen } from '../time/moment.js';
import { Why } from '../why/why.js';
import { EditLink } from '../changes/edit-link.js';
import { nodeColumns, ORDER_IN_GROUP } from './node-columns.js';
import { ResizeGroup } from './resize-group.js';
import { shell } from '../parts/shell-command.js';

const columns = nodeColumns(ORDER_IN_GROUP);

function Nodes({ group }: { readonly group: NodeGroup }) {
  const kind = useMemo(
    () => listOf<Node>('node', { nodeGroupId: group.id }, group.clusterId),
    [group.id, group.clusterId],
  );
  const name = useName('cluster', group.clusterId);
  const cluster = useReferenceThen({ name, id: group.clusterId });
  return (
    <ResourceTable
      label={`Nodes of ${group.name}`}
      what="nodes"
      command={shell`stave nodes list --cluster ${cluster} --filter nodeGroupId=${group.id}`}
      columns={columns}
      href={({ id }) => `/nodes/${id}`}
      sort={ORDER_IN_GROUP}
      empty={<Empty title="It has no node" />}
      {...{ kind }}
    />
  );
}

function Autoscaling({ group }: { readonly group: NodeGroup }) {
  return <GroupAutoscaling group={group} cluster={useName('cluster', group.clusterId)} />;
}

function WhyGroup({ group }: { readonly group: NodeGroup }) {
  return <Why type="nodeGroup" id={group.id} name={useReference(group)} />;
}

const parts: readonly Part<NodeGroup>[] = [
  { name: 'why', title: 'Why', content: group => <WhyGroup group={group} /> },
  { name: 'autoscaling', title: 'Autoscaling', content: group => <Autoscaling group={group} /> },
  { name: 'nodes', title: 'Nodes', content: group => <Nodes group={group} /> },
  {
    name: 'policies',
    title: 'Policies',
    content: ({ id, name }) => <PoliciesOf type="nodeGroup" {...{ id, name }} />,
  },
];

function Actions({ group }: { readonly group: NodeGroup }) {
  const [at] = useMoment();
  const cluster = useName('cluster', group.clusterId);
  const { id, name, flavor, labels } = group;
  const path = `/v1/node-groups/${id}`;
  if (at !== undefined) return null;
  return (
    <>
      <ResizeGroup {...{ cluster, group }} />
      <EditLink path={path} body={{ flavor, labels }} title={`Change ${name}`} />
      <ChangeButton
        label="Rebuild"
        title={`Rebuild ${name}`}
        request={{ method: 'post', path: `${path}/actions/rebuild`, body: {} }}
        command={shell`stave ng rebuild ${cluster}/${name} --plan`}
      />
      <ChangeButton
        label="Delete"
        title={`Delete ${name}`}
        typed={name}
        request={{ method: 'delete', path }}
        command={shell`stave ng delete ${cluster}/${name} --plan`}
      />
    </>
  );
}

function Facts({ group }: { readonly group: NodeGroup }) {
  const { status, statusReason, role, nodesReady, count, flavor, clusterId, updatedAt, autoscaling } = group;
  return (
    <>
      <p className="facts">
        <Status status={status} />
        <span>
          {nodesReady ?? 0} of {count} ready
        </span>
        <span>
          in <Resource type="cluster" id={clusterId} />
        </span>
        <span className="dim">
          {role}, {flavor.cpus} CPU, {flavor.memoryMb} MB
        </span>
        {autoscaling?.enabled ? <span className="dim">scaled automatically</span> : null}
        <Changed time={updatedAt} />
      </p>
      <StatusReason status={status} statusReason={statusReason} />
    </>
  );
}

/** A node group: why it has its size, how it is scaled, and its nodes. */
export const GroupPage = ({ id, tab }: { readonly id: string; readonly tab: string | undefined }) => (
  <DetailPage<NodeGroup>
    type="nodeGroup"
    within={['/clusters', 'Clusters']}
    useReference={useReference}
    facts={group => <Facts group={group} />}
    actions={group => <Actions group={group} />}
    {...{ id, tab, parts }}
  />
);
