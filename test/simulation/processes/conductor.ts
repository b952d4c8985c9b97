import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConductor, type ConductorIdentity, type ConductorTimes } from '@stave/conductor';
import { fakeDriver } from '@stave/driver-fake';
import type { DriverManifest, LoadedDriver } from '@stave/driver-sdk';
import { Process } from '../kernel/process.js';
import { loggerOf, messagingOf, type Outside } from './ports.js';

const manifestFile = join(__dirname, '..', '..', '..', 'libs', 'drivers', 'fake', 'driver.manifest.json');
/**
 * The manifest without the schema of its options, whose compilation would take longer than the rest of a schedule's
 * start.
 */
const manifest = {
  ...(JSON.parse(readFileSync(manifestFile, 'utf8')) as DriverManifest),
  options: undefined,
} as object as DriverManifest;

/** Sweeps and health checks are frequent enough to happen within a schedule. */
const times: Partial<ConductorTimes> = {
  sweepPeriodMs: 7_500,
  goneGraceMs: 5_000,
  neverGraceMs: 15_000,
  healthPeriodMs: 10_000,
};

/**
 * Returns a conductor process: the product's composition on simulated ports, with the fake driver on the simulated
 * cloud.
 */
export function conductorProcess(
  outside: Outside,
  identity: Pick<ConductorIdentity, 'id' | 'group' | 'keyMode'>,
): Process {
  const process: Process = new Process(identity.id, outside.sim, async () => {
    const cloud = outside.cloud.connect(process, outside.network);
    const driver: LoadedDriver = {
      manifest,
      directory: 'fake',
      module: { open: async settings => fakeDriver(settings, cloud) },
    };
    const conductor = await createConductor({
      ...identity,
      weight: 1,
      release: '1.0.0',
      messaging: messagingOf(outside, process),
      drivers: [driver],
      dataDir: 'unused',
      env: {},
      log: loggerOf(outside, process),
      limits: { total: 8 },
      times,
    });
    await conductor.start();
  });
  return process;
}
