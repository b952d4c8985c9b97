import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateOptions, type ContainerSpec, type Driver, type Unit } from '@stave/driver-sdk';
import manifest from '../driver.manifest.json';
import { InProcessCloud } from './cloud/in-process-cloud.js';
import { fakeDriver } from './fake.driver.js';
import { aClusterSpec, aContainerSpec, aDriverContext, aNodeSpec } from '@stave/driver-sdk/testing';

let dataDir = '';
let driver: Driver;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stave-fake-'));
  driver = fakeDriver({ installation: 'i1', env: {} }, await InProcessCloud.open(dataDir));
});
afterEach(async () => {
  await driver.close();
  await rm(dataDir, { recursive: true });
});

async function until(check: (units: readonly Unit[]) => boolean): Promise<readonly Unit[]> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const units = await driver.list(aDriverContext());
    if (check(units)) return units;
    if (Date.now() > deadline) throw new Error(`not within 10 s; there is ${JSON.stringify(units)}`);
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}

it('the option lose removes the given number of nodes with their containers', async () => {
  const options = { lose: { nodes: 1, afterMs: 150 } };
  expect(validateOptions(manifest, options)).toEqual([]);
  const cluster = aClusterSpec({ options });
  const [first, second] = [aNodeSpec({ cluster }), aNodeSpec({ cluster })];
  await driver.node.create(aDriverContext(), first);
  await driver.node.create(aDriverContext(), second);
  await driver.containers?.create(aDriverContext(), aContainerSpec({ clusterId: cluster.id, nodeId: first.id }));
  const left = await until(units => units.length === 1);
  expect(left[0]?.resourceId).toBe(second.id);
});

it.each([
  ['no', '3', 'stopped', 3, 0],
  ['on-failure', '0', 'stopped', 0, 0],
  ['on-failure', '3', 'running', 3, 2],
  ['always', '0', 'running', 0, 2],
] as const)(
  'a container with restart policy %s and exit code %s restarts by its policy',
  async (restartPolicy, code, state, exitCode, restarts) => {
    const node = aNodeSpec();
    await driver.node.create(aDriverContext(), node);
    const of = { clusterId: node.cluster.id, nodeId: node.id };
    const spec: ContainerSpec = aContainerSpec({ ...of, restartPolicy, command: ['exit', code], args: ['5'] });
    await driver.containers?.create(aDriverContext(), spec);
    const ended = (unit: Unit): boolean => unit.exitCode !== undefined && (unit.restarts ?? 0) >= restarts;
    const units = await until(all => all.some(ended));
    expect(units.find(unit => unit.kind === 'container')).toMatchObject({ state, exitCode });
  },
);

it('the option maxContainersPerNode limits the containers of a node', async () => {
  const node = aNodeSpec({ options: { maxContainersPerNode: 1 } });
  await driver.node.create(aDriverContext(), node);
  const of = { clusterId: node.cluster.id, nodeId: node.id };
  await driver.containers?.create(aDriverContext(), aContainerSpec(of));
  await expect(driver.containers?.create(aDriverContext(), aContainerSpec(of))).rejects.toMatchObject({
    failure: 'capacity',
  });
});
