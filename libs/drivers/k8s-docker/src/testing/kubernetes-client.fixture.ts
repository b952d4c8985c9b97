import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parse } from 'yaml';
import { apiPort } from '../manifests.js';
import { KubernetesApi } from '@stave/kubernetes';

/** The image of the pods of tests: a static busybox. No registry has it: it is copied to each node. */
export const podImage = 'stave.local/busybox:1';

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
}

const pem = (base64 = ''): string => Buffer.from(base64, 'base64').toString('utf8');

/** Returns a client with the identity of a kubeconfig. */
export function clientOf(kubeconfig: string): KubernetesApi {
  const { clusters, users } = parse(kubeconfig) as Kubeconfig;
  const [{ cluster }] = clusters;
  const [{ user }] = users;
  return new KubernetesApi({
    address: new URL(cluster['server'] ?? '').hostname,
    port: apiPort,
    authority: pem(cluster['certificate-authority-data']),
    certificate: pem(user['client-certificate-data']),
    key: pem(user['client-key-data']),
  });
}

/** Returns a pod that runs a command on a node. */
export const pod = (name: string, command: readonly string[], spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name } },
  spec: {
    tolerations: [{ operator: 'Exists' }],
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'main', image: podImage, command }],
    ...spec,
  },
});

const busybox = join(__dirname, '../../../swarm-docker/image/busybox-rootfs.sh');

/** Copies the image of pods to a node. `socket`: that of the engine with its container; default: this machine's. */
export function loadPodImage(containerId: string, socket?: string): void {
  const rootfs = execFileSync('bash', [busybox], { maxBuffer: 2 ** 26 });
  execFileSync('docker', ['import', '-', podImage], { input: rootfs, stdio: ['pipe', 'ignore', 'inherit'] });
  const image = execFileSync('docker', ['save', podImage], { maxBuffer: 2 ** 26 });
  const at = socket === undefined ? [] : ['--host', `unix://${socket}`];
  const load = ['exec', '--interactive', containerId, 'ctr', '--namespace', 'k8s.io', 'images', 'import', '-'];
  execFileSync('docker', [...at, ...load], { input: image, stdio: ['pipe', 'ignore', 'inherit'] });
}

/** Runs a program in a container of the engine with this socket, and returns what it prints. */
export function runOn(socket: string, containerId: string, ...command: readonly string[]): string {
  return execFileSync('docker', ['--host', `unix://${socket}`, 'exec', containerId, ...command], { encoding: 'utf8' });
}

/** Runs kubectl with all rights on a control plane, and returns what it prints; a failure is returned as text, too. */
export function kubectl(containerId: string, ...command: readonly string[]): string {
  const inside = ['exec', containerId, 'kubectl', '--kubeconfig', '/etc/kubernetes/admin.conf', ...command];
  const { stdout, stderr } = spawnSync('docker', inside, { encoding: 'utf8' });
  return `${stdout}${stderr}`.trim();
}
