import { isAbsolute, join, resolve } from 'node:path';
import { DriverError, driverNameIn, type DriverSettings } from '@stave/driver-sdk';
import { readPlugins, type Plugin } from './plugins.js';

/** Objects on engines have it as a label. */
export const driverName = driverNameIn(join(__dirname, '..'));

export const defaultNodeImage = 'stave/swarm-node:1';

/** The path of a unix socket has at most 107 bytes, of which the driver needs `/<12>/<12>-g<generation>/d.sock`. */
const longestRunDir = 107 - '/123456789012/123456789012-g123456/d.sock'.length;

export interface SwarmDockerSettings {
  readonly installation: string;
  readonly hostSocket: string;
  /** Contains one directory per node with the socket of its engine. */
  readonly runDir: string;
  readonly nodeImage: string;
  readonly plugins: readonly Plugin[];
  /** The directory of secrets, with those of machines below it. */
  readonly secretsDir?: string;
}

/** Reads DOCKER_HOST, SWARM_DOCKER_RUN_DIR and SWARM_DOCKER_NODE_IMAGE. Throws a permanent DriverError that names the invalid variable. */
export function readSettings(settings: DriverSettings): SwarmDockerSettings {
  const host = settings.env['DOCKER_HOST'] || 'unix:///var/run/docker.sock';
  const allowed = 'name an engine on this machine, unix:///…/docker.sock';
  if (!host.startsWith('unix:///'))
    throw new DriverError('permanent', `DOCKER_HOST=${host} is not supported: ${allowed}`);
  const runDir = settings.env['SWARM_DOCKER_RUN_DIR'] || resolve(settings.dataDir, 'run');
  const required = `an absolute path of at most ${longestRunDir} bytes, because it contains unix sockets`;
  if (!isAbsolute(runDir) || Buffer.byteLength(runDir) > longestRunDir)
    throw new DriverError('permanent', `SWARM_DOCKER_RUN_DIR=${runDir} must be ${required}`);
  return {
    installation: settings.installation,
    hostSocket: host.slice('unix://'.length),
    runDir,
    nodeImage: nodeImageOf(settings.env),
    plugins: readPlugins(settings.env),
    ...(settings.env['SECRETS_DIR'] && { secretsDir: settings.env['SECRETS_DIR'] }),
  };
}

/** Returns what an operator allows to users: names of options, drivers and networks, and images of nodes. */
export const allowedBy = (env: DriverSettings['env']) => ({
  names: listIn(env['SWARM_DOCKER_ALLOW']),
  nodeImages: [...new Set([nodeImageOf(env), ...listIn(env['NODE_IMAGES_ALLOWED'])])],
});

const listIn = (text = ''): readonly string[] =>
  text
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '');

/** Returns the image of nodes that name none. */
export const nodeImageOf = (env: DriverSettings['env']): string => env['SWARM_DOCKER_NODE_IMAGE'] || defaultNodeImage;
