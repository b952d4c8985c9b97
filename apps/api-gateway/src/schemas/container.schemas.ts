import {
  closed,
  containerMembers,
  exact,
  listOf,
  named,
  nullable,
  oneOf,
  primitives as p,
} from '@stave/contracts/schemas';
import { mapOf, resource } from './resource.schema.js';
import { containerStatuses } from './statuses.js';

const { image, env, resources, volumes, ports, restartPolicy, labels, ...optionalMembers } = containerMembers;
const { hostCluster: _cluster, hostNode: _node, ...optional } = optionalMembers;
const contents = {
  ...{ image, env, resources, volumes, ports, restartPolicy, labels },
  hostNode: nullable(p.anyString),
  hostCluster: nullable(p.anyString),
};

export const profile = named(
  'ContainerProfile',
  resource({ ...contents, description: nullable(p.anyString) }, optional),
);

const refusals = listOf(exact({ code: p.anyString, count: p.anyInteger, sentence: p.anyString }));
const remedy = exact({ codes: listOf(p.anyString), sentence: p.anyString }, { nodeId: p.anyString });
const scores = listOf(exact({ nodeId: p.anyString, total: p.anyNumber, parts: mapOf(p.anyNumber) }));
/** The decision of the scheduler: the node with its scores, or the reason why no node can take the container. */
const placement = closed({
  nodeId: nullable(p.anyString),
  at: p.dateTime,
  scores,
  refusals,
  reason: p.anyString,
  remedy,
  seed: p.anyInteger,
  policy: p.anyString,
});

export const container = named(
  'Container',
  resource(
    {
      ...contents,
      profileId: nullable(p.anyString),
      clusterId: nullable(p.anyString),
      nodeId: nullable(p.anyString),
      placement: nullable(placement),
      status: oneOf(...containerStatuses.oneOf),
      address: nullable(p.anyString),
      exitCode: nullable(p.anyInteger),
      restarts: p.anyInteger,
      generation: p.anyInteger,
    },
    { ...optional, statusReason: p.anyString },
  ),
);
export const logs = named('ContainerLogs', exact({ logs: p.anyString }));
export const stats = named('ContainerStats', exact({ cpuCores: p.anyNumber, memoryMb: p.anyNumber, at: p.dateTime }));
