import { isAbsolute, join } from 'node:path';
import { DriverError, type DriverSettings } from '@stave/driver-sdk';

export const defaultNodeImage = 'stave/swarm-node:1';

/** A unix socket's path has at most 107 bytes, and below the run directory stand `/<12>/<12>-g<generation>/d.sock`. */
const longestRunDir = 107 - '/123456789012/123456789012-g123456/d.sock'.length;

export interface SwarmDockerSettings {
  readonly installation: string;
  /** Path of the host engine's socket. */
  readonly hostSocket: string;
  /** Holds one directory per node with its engine's socket. */
  readonly runDir: string;
  readonly nodeImage: string;
}

/** Reads DOCKER_HOST, SWARM_DOCKER_RUN_DIR and SWARM_DOCKER_NODE_IMAGE; throws a permanent DriverError that names what is wrong. */
export function readSettings(settings: DriverSettings): SwarmDockerSettings {
  const host = settings.env['DOCKER_HOST'] || 'unix:///var/run/docker.sock';
  if (!host.startsWith('unix:///')) {
    throw new DriverError(
      'permanent',
      `DOCKER_HOST=${host}: nodes need an engine on this machine, unix:///…/docker.sock`,
    );
  }
  const runDir = settings.env['SWARM_DOCKER_RUN_DIR'] || join(settings.dataDir, 'run');
  if (!isAbsolute(runDir) || Buffer.byteLength(runDir) > longestRunDir) {
    throw new DriverError(
      'permanent',
      `SWARM_DOCKER_RUN_DIR=${runDir} must be an absolute path of at most ${longestRunDir} bytes, as sockets lie below it`,
    );
  }
  return {
    installation: settings.installation,
    hostSocket: host.slice('unix://'.length),
    runDir,
    nodeImage: settings.env['SWARM_DOCKER_NODE_IMAGE'] || defaultNodeImage,
  };
}
