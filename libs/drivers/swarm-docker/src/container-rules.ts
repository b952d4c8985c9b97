import type { ContainerRestrictions, DriverRestrictions, DriverSettings } from '@stave/driver-sdk';
import { readPlugins } from './plugins.js';
import { allowedBy } from './settings.js';

const sizes = '\\d+[kmg]?';
/** The options of the kernel for a tmpfs; none of them reaches a file of the node. */
const tmpfsOption = `(?:size=${sizes}|nr_inodes=${sizes}|mode=[0-7]{3,4}|uid=\\d+|gid=\\d+|noexec|nosuid|nodev|ro)`;

const address = '[0-9a-fA-F.:]+';
/** Stave reads subnet and gateway itself, the others are passed to the driver of the network. */
const networkOptions = {
  subnet: `${address}/\\d{1,3}`,
  gateway: address,
  'com.docker.network.driver.mtu': '\\d{2,5}',
};

/**
 * What a container may ask of the engine of its node without an operator's consent: volumes on the node or in memory, and networks of their
 * own. A volume of another type is a mount that root of the node makes, of its own directories and engine socket too.
 */
const volumes = { local: { type: 'tmpfs', device: 'tmpfs', o: `${tmpfsOption}(?:,${tmpfsOption})*` } };
const networks = {
  bridge: {
    ...networkOptions,
    'com.docker.network.bridge.enable_icc': 'true|false',
    'com.docker.network.bridge.enable_ip_masquerade': 'true|false',
  },
  overlay: { ...networkOptions, encrypted: 'true|false|' },
};
const reservedNetworks = ['host', 'none', 'bridge', 'default', 'ingress', 'docker_gwbridge'];

/** Returns what users may ask for with these settings: SWARM_DOCKER_ALLOW and NODE_IMAGES_ALLOWED widen it. */
export function restrictionsOf(env: DriverSettings['env']): DriverRestrictions & {
  readonly nodeImages: readonly string[];
  readonly containers: ContainerRestrictions;
} {
  const { names, nodeImages } = allowedBy(env);
  const plugins = readPlugins(env).map(({ name }) => name);
  const ofPlugins = Object.fromEntries(plugins.map(name => [name, { '*': '[^]*' }]));
  const own = { volumes: { ...volumes, ...ofPlugins }, networks: { ...networks, ...ofPlugins } };
  const engine = { ...own, reservedNetworks };
  return { nodeImages, plugins, containers: { ...engine, allowed: names, setting: 'SWARM_DOCKER_ALLOW' } };
}
