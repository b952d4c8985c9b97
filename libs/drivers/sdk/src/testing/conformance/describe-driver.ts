import { referenceTo } from '../spec-builders.js';
import { ConformanceScore } from './conformance-score.js';
import { containerChecks } from './container.contract.js';
import type { DriverFixture } from './driver-fixture.js';
import { interruptionChecks } from './interruption.contract.js';
import { lifecycleChecks } from './lifecycle.contract.js';
import { attachmentChecks } from './attachment.contract.js';
import type { DriverManifest } from '../../driver.js';
import { machineChecks } from './machine.contract.js';
import { moduleChecks } from './module.contract.js';
import { operationChecks } from './operation.contract.js';
import { missingClusterChecks } from './missing-cluster.contract.js';
import { nodeChecks, nodeVolumeChecks } from './node.contract.js';
import { secretValue, TestBed } from './test-bed.js';

export interface DescribeDriverOptions {
  /** Whether to check containers (default true); false for drivers without that capability. */
  readonly containers?: boolean;
  /** Whether to check networks and volumes of their own (default false). */
  readonly networks?: boolean;
  readonly volumes?: boolean;
  /** Whether to check volumes of nodes (default false). */
  readonly nodeVolumes?: boolean;
  /** The manifest, whose modules are then checked: operations, utilisation, advice on scaling. */
  readonly manifest?: DriverManifest;
}

/**
 * Registers the conformance kit as tests of Jest, and prints a score after them. The kit creates clusters of its own, and its last check
 * fails when one of their units is left.
 */
export function describeDriver(name: string, fixture: DriverFixture, options: DescribeDriverOptions = {}): void {
  const timeoutMs = fixture.slow ? 900_000 : 60_000;
  const score = new ConformanceScore(timeoutMs);
  const { check } = score;
  const { containers = true, networks = false, volumes = false, nodeVolumes = false, manifest } = options;
  const kinds = [
    ...(['cluster', 'node'] as const),
    ...(containers ? (['container'] as const) : []),
    ...(networks ? (['network'] as const) : []),
    ...(volumes ? (['volume'] as const) : []),
  ];

  describe(`driver ${name}`, () => {
    let built: TestBed | undefined;
    const bed = (): TestBed => {
      if (!built) throw new Error('the driver could not create the cluster and the node of the test bed');
      return built;
    };

    beforeAll(async () => {
      built = await TestBed.build(fixture);
    }, timeoutMs);

    afterAll(async () => {
      process.stdout.write(score.summary(name));
      await built?.driver.close();
      await fixture.cleanup();
    }, timeoutMs);

    for (const kind of kinds) {
      describe(kind, () => {
        lifecycleChecks(kind, bed, check);
        interruptionChecks(kind, bed, check);
      });
    }
    describe('nodes and clusters', () => nodeChecks(bed, check));
    describe('clusters that vanished', () => missingClusterChecks(bed, check));
    if (nodeVolumes) describe('volumes of nodes', () => nodeVolumeChecks(bed, check));
    if (containers) describe('containers', () => containerChecks(bed, check));
    if (networks) describe('networks', () => attachmentChecks('network', bed, check));
    if (volumes) describe('volumes', () => attachmentChecks('volume', bed, check));
    const { machine } = fixture;
    if (machine) describe('machines', () => machineChecks(machine, bed, check));
    if (manifest) describe('modules', () => moduleChecks(manifest, bed, check));
    if (manifest?.operations) describe('operations', () => operationChecks(manifest, bed, check));
    describe('after all checks', () => {
      check('reveals no secret in logs and progress', () => expectNoSecretInOutput(bed()));
      check('reports the same identity of its infrastructure every time, where it knows one', async () => {
        const { driver } = bed();
        const identity = await driver.identity?.(bed().context());
        expect(await driver.identity?.(bed().context())).toEqual(identity);
        for (const each of identity === undefined ? [] : [identity].flat()) expect(each).toMatch(/^\S.{0,254}$/);
      });
      check('leaves no unit behind', async () => {
        await bed().removeAll();
        expect(await bed().driver.list(bed().context(), { clusterId: bed().cluster.id })).toEqual([]);
      });
    });
  });
}

async function expectNoSecretInOutput(bed: TestBed): Promise<void> {
  const { cluster, driver, recorder } = bed;
  const credentials = await driver.cluster.credentials(bed.context(), referenceTo(cluster, 2));
  const confidential = Object.entries(credentials).filter(([name]) => name !== 'endpoint');
  const values = [secretValue, ...recorder.secrets.values(), ...confidential.map(([, value]) => value)];
  const secrets = values.filter(value => value.length > 7);
  expect(recorder.output.filter(line => secrets.some(value => line.includes(value)))).toEqual([]);
}
