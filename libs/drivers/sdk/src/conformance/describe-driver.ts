import { containerChecks } from './container-checks.js';
import type { DriverFixture } from './driver-fixture.js';
import { interruptionChecks } from './interruption-checks.js';
import { lifecycleChecks } from './lifecycle-checks.js';
import { nodeChecks } from './node-checks.js';
import { Scoring } from './scoring.js';
import { referenceTo } from './subject.js';
import { secretValue, TestBed } from './test-bed.js';

export interface DescribeDriverOptions {
  /** Leaves the container checks out, for drivers without that capability. */
  readonly containers?: boolean;
}

/**
 * The conformance kit: registers (in Jest) what every driver must do and prints a score. Everything is made in clusters of
 * its own, and at the end none of it may be left.
 */
export function describeDriver(name: string, fixture: DriverFixture, options: DescribeDriverOptions = {}): void {
  const timeoutMs = fixture.slow ? 900_000 : 60_000;
  const scoring = new Scoring(timeoutMs);
  const check = scoring.check.bind(scoring);
  const containers = options.containers ?? true;

  describe(`driver ${name}`, () => {
    let built: TestBed | undefined;
    const bed = (): TestBed => {
      if (!built) throw new Error('the test bed could not be built');
      return built;
    };

    beforeAll(async () => {
      built = await TestBed.build(fixture);
    }, timeoutMs);

    afterAll(async () => {
      process.stdout.write(scoring.line(name));
      await built?.driver.close();
      await fixture.cleanup();
    }, timeoutMs);

    for (const kind of ['cluster', 'node', ...(containers ? (['container'] as const) : [])] as const) {
      describe(kind, () => {
        lifecycleChecks(kind, bed, { check });
        interruptionChecks(kind, bed, { check });
      });
    }
    describe('nodes and clusters', () => nodeChecks(bed, { check }));
    if (containers) describe('containers', () => containerChecks(bed, { check }));
    describe('in the end', () => {
      check('has told no secret', () => toldNoSecret(bed()));
      check('leaves nothing behind', async () => {
        await bed().demolish();
        expect(await bed().driver.list(bed().context(), { clusterId: bed().cluster.id })).toEqual([]);
      });
    });
  });
}

async function toldNoSecret(bed: TestBed): Promise<void> {
  const { cluster, driver, recorder } = bed;
  const credentials = await driver.cluster.credentials(bed.context(), referenceTo(cluster.id, cluster.id, 2));
  const secret = Object.entries(credentials).filter(([name]) => name !== 'endpoint');
  const secrets = [secretValue, ...recorder.secrets.values(), ...secret.map(([, value]) => value)].filter(
    value => value.length > 7,
  );
  const told = recorder.told.filter(line => secrets.some(value => line.includes(value)));
  expect(told).toEqual([]);
}
