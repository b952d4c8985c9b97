import { readFile } from 'node:fs/promises';
import type { ContainerStatus, NodeGroupStatus, NodeStatus, ShownClusterStatus } from '@stave/domain';
import { clusterMachine } from './cluster.machine.js';
import { containerMachine } from './container.machine.js';
import { nodeGroupMachine } from './node-group.machine.js';
import { nodeMachine } from './node.machine.js';
import { page, pageFile, statusesOf } from './state-machines-page.js';

type All<S extends string> = Readonly<Record<S, true>>;
const cluster: All<ShownClusterStatus> = {
  CREATING: true,
  ACTIVE: true,
  UPDATING: true,
  PAUSED: true,
  DEGRADED: true,
  FAILED: true,
  DELETING: true,
};
const nodeGroup: All<NodeGroupStatus> = {
  CREATING: true,
  ACTIVE: true,
  UPDATING: true,
  DEGRADED: true,
  DELETING: true,
};
const node: All<NodeStatus> = {
  CREATING: true,
  ACTIVE: true,
  UPDATING: true,
  FAILED: true,
  DRAINING: true,
  REBOOTING: true,
  UNREACHABLE: true,
  DELETING: true,
};
const container: All<ContainerStatus> = {
  CREATING: true,
  ACTIVE: true,
  UPDATING: true,
  STOPPED: true,
  UNSCHEDULABLE: true,
  UNREACHABLE: true,
  FAILED: true,
  DELETING: true,
};

describe('the page of state machines', () => {
  it('the page matches the deciders and evolve functions (`npm run state-diagrams` updates it)', async () => {
    expect(await readFile(pageFile, 'utf8')).toBe(page());
  });

  it.each([
    ['cluster', statusesOf(clusterMachine), cluster],
    ['node group', statusesOf(nodeGroupMachine), nodeGroup],
    ['node', statusesOf(nodeMachine), node],
    ['container', statusesOf(containerMachine), container],
  ])('the page shows every status of a %s', (_name, found, all) => {
    expect([...found].sort()).toEqual([...Object.keys(all), '[*]'].sort());
  });
});
