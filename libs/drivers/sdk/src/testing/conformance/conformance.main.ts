import { describeDriver } from './describe-driver.js';
import { fixtureIn } from './fixture-in.js';
import type { DriverManifest } from '../../driver.js';
import { loadDriverModule } from '../../registry/driver-module.js';

declare global {
  /** Set by `runKit`, which runs this file in Jest. */
  var STAVE_DRIVER_CHECKED: { readonly directory: string; readonly manifest: DriverManifest };
}

const { directory, manifest } = globalThis.STAVE_DRIVER_CHECKED;

describeDriver(manifest.name, fixtureIn(directory, loadDriverModule(directory), process.env), {
  containers: manifest.capabilities.includes('containers'),
  networks: manifest.capabilities.includes('networks'),
  volumes: manifest.capabilities.includes('volumes'),
  manifest,
  nodeVolumes: manifest.attributes?.includes('volumes') === true,
});
