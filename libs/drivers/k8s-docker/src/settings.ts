import { join, resolve } from 'node:path';
import { DriverError, driverNameIn, type DriverSettings } from '@stave/driver-sdk';

/** Objects on engines have it as a label. */
export const driverName = driverNameIn(join(__dirname, '..'));

/** The version of Kubernetes that `image/build.sh` builds. */
export const defaultNodeImage = 'stave/kubernetes-node:1.34.2';

export interface K8sDockerSettings {
  readonly installation: string;
  readonly hostSocket: string;
  readonly nodeImage: string;
  /** The directory of the control sockets of ssh, by which machines are reached. */
  readonly runDir: string;
  /** The directory of secrets, with those of machines below it. */
  readonly secretsDir?: string;
  /** Whether the kubeconfig of `credentials` has all rights in its cluster, and so on this machine. */
  readonly tenantAdmin: boolean;
}

/** Reads DOCKER_HOST, SECRETS_DIR, K8S_DOCKER_NODE_IMAGE and K8S_DOCKER_TENANT_ADMIN. Throws a permanent DriverError that names the invalid variable. */
export function readSettings({ env, installation, dataDir }: DriverSettings): K8sDockerSettings {
  const host = env['DOCKER_HOST'] || 'unix:///var/run/docker.sock';
  const allowed = 'name an engine on this machine, unix:///…/docker.sock';
  if (!host.startsWith('unix:///'))
    throw new DriverError('permanent', `DOCKER_HOST=${host} is not supported: ${allowed}`);
  const admin = env['K8S_DOCKER_TENANT_ADMIN'] || 'false';
  if (admin !== 'true' && admin !== 'false')
    throw new DriverError('permanent', `K8S_DOCKER_TENANT_ADMIN=${admin} must be true or false`);
  return {
    installation,
    hostSocket: host.slice('unix://'.length),
    nodeImage: nodeImageOf(env),
    runDir: resolve(dataDir, 'run'),
    ...(env['SECRETS_DIR'] && { secretsDir: env['SECRETS_DIR'] }),
    tenantAdmin: admin === 'true',
  };
}

/** Returns the image of nodes that name none. */
export const nodeImageOf = (env: DriverSettings['env']): string => env['K8S_DOCKER_NODE_IMAGE'] || defaultNodeImage;

/** Returns the images that users may name for nodes. */
export const nodeImagesOf = (env: DriverSettings['env']): readonly string[] => {
  const listed = (env['NODE_IMAGES_ALLOWED'] ?? '').split(',').map(entry => entry.trim());
  return [...new Set([nodeImageOf(env), ...listed.filter(entry => entry !== '')])];
};
