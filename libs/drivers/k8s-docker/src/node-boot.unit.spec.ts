import { DriverError } from '@stave/driver-sdk';
import { aDriverContext, silentLogger } from '@stave/driver-sdk/testing';
import { ControlPlanes } from './control-planes.js';
import type { Inventory, NodeContainer } from './inventory.js';
import { bootConfiguration, configuredMark } from './node-boot.js';
import { NodeMachine, unitDirectory, type Placed } from './node-machine.js';

const ctx = aDriverContext({ log: silentLogger });
const pathsOf = ({ files, units }: Placed): string[] => [
  ...files.map(({ path }) => path),
  ...units.map(({ name }) => `${unitDirectory}/${name}`),
];
const booted = pathsOf(bootConfiguration);
const configured = [...booted, ...pathsOf(configuredMark)];
const ofAnEarlierRelease = [`${unitDirectory}/stave-bootstrap.service`];

/** Control planes whose nodes have these files; undefined: their engine fails. */
function nodesWith(paths: readonly string[] | undefined): ControlPlanes {
  const read = (_ctx: unknown, path: string) =>
    paths
      ? Promise.resolve(paths.includes(path) ? '' : undefined)
      : Promise.reject(new DriverError('transient', 'no engine answers'));
  const machineOf = () => Object.assign(Object.create(NodeMachine.prototype) as NodeMachine, { read });
  return Object.assign(new ControlPlanes({} as Inventory), { machineOf });
}

const node = (state: string, role = 'manager'): NodeContainer => ({ nodeId: 'n1', role, state }) as NodeContainer;

describe('the configuration of a node', () => {
  it('is complete when its mark is there', async () => {
    for (const state of ['running', 'exited', 'paused']) {
      expect(await nodesWith(booted).isConfigured(ctx, node(state))).toBe(false);
      expect(await nodesWith(configured).isConfigured(ctx, node(state))).toBe(true);
    }
  });

  it('is complete in a node of an earlier release that has run', async () => {
    expect(await nodesWith(ofAnEarlierRelease).isConfigured(ctx, node('exited'))).toBe(true);
    expect(await nodesWith(ofAnEarlierRelease).isConfigured(ctx, node('created'))).toBe(false);
  });

  it('is not known of a node whose engine fails, which then may be a member', async () => {
    await expect(nodesWith(undefined).isConfigured(ctx, node('running'))).rejects.toThrow('no engine answers');
    for (const state of ['running', 'unreachable', 'replaced'])
      expect(await nodesWith(undefined).mayBeMember(ctx, node(state))).toBe(true);
    for (const state of ['created', 'absent'])
      expect(await nodesWith(undefined).mayBeMember(ctx, node(state))).toBe(false);
  });

  it('decides whether a control plane that runs counts as one', async () => {
    const nodes = [node('running'), node('running', 'worker')];
    const statesOf = async (of: ControlPlanes) => (await of.withoutWaiting(ctx, nodes)).map(({ state }) => state);
    expect(await statesOf(nodesWith(booted))).toEqual(['created', 'running']);
    expect(await statesOf(nodesWith(configured))).toEqual(['running', 'running']);
  });
});
