import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@stave/platform/testing';
import { freePort, ServerProcess } from '@stave/testing';
import { stringify } from 'yaml';

const TOKEN = 'a-token-of-this-test';

/** Returns the folder of the programs of Kubernetes that `libs/drivers/k8s-docker/image/build.sh` has compiled; undefined when it has not. */
function programs(): string | undefined {
  const { STAVE_CACHE, XDG_CACHE_HOME } = process.env;
  const cache = join(STAVE_CACHE ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'stave'), 'kubernetes');
  const built = existsSync(cache) ? readdirSync(cache).filter(name => /^programs-[0-9a-f]+$/.test(name)) : [];
  return built.map(name => join(cache, name)).find(path => existsSync(join(path, 'kubernetes')));
}

/** Returns why no API server can be started here; undefined when it can. */
export const apiServerMissing = (): string | undefined =>
  programs() === undefined ? 'no compiled Kubernetes: libs/drivers/k8s-docker/image/build.sh compiles it' : undefined;

/** A real kube-apiserver on etcd with the controllers of Kubernetes, without any node: pods are created and admitted, and stay pending. */
export class ApiServer {
  private constructor(
    private readonly directory: string,
    private readonly servers: readonly ServerProcess[],
    readonly kubeconfig: string,
  ) {}

  static async start(): Promise<ApiServer> {
    const from = programs();
    if (from === undefined) throw new Error(apiServerMissing());
    const directory = await mkdtemp(join(tmpdir(), 'stave-api-server-'));
    for (const name of ['kube-apiserver', 'kube-controller-manager', 'kubectl'])
      await symlink(join(from, 'kubernetes'), join(directory, name));
    const ports = {
      etcd: await freePort(),
      peers: await freePort(),
      api: await freePort(),
      controllers: await freePort(),
    };
    const kubeconfig = await writeAccess(directory, ports.api);
    const etcd = new ServerProcess(join(from, 'etcd'), etcdArguments(directory, ports), ports.etcd);
    const api = new ServerProcess(join(directory, 'kube-apiserver'), apiArguments(directory, ports), ports.api);
    const controllers = new ServerProcess(
      join(directory, 'kube-controller-manager'),
      controllerArguments(directory, kubeconfig, ports.controllers),
      ports.controllers,
    );
    const server = new ApiServer(directory, [etcd, api, controllers], kubeconfig);
    try {
      await etcd.start();
      await api.start();
      await eventually(async () => server.kubectl('get', '--raw', '/readyz').code === 0, {
        timeoutMs: 60_000,
        what: 'the API server is ready',
      });
      await controllers.start();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Runs kubectl; a warning counts as a failure. */
  kubectl(...args: readonly string[]): { readonly code: number | null; readonly out: string; readonly err: string } {
    const { status, stdout, stderr } = spawnSync(
      join(this.directory, 'kubectl'),
      ['--kubeconfig', this.kubeconfig, '--cache-dir', join(this.directory, 'cache'), '--warnings-as-errors', ...args],
      { encoding: 'utf8', maxBuffer: 1 << 26 },
    );
    return { code: status, out: stdout, err: stderr };
  }

  /** Returns objects of these kinds. Throws when kubectl fails. */
  list<T = object>(namespace: string, kinds: string, ...args: readonly string[]): readonly T[] {
    const { code, out, err } = this.kubectl('get', kinds, '--namespace', namespace, '--output', 'json', ...args);
    if (code !== 0) throw new Error(err);
    const { items }: { readonly items: readonly T[] } = JSON.parse(out);
    return items;
  }

  async stop(): Promise<void> {
    for (const server of [...this.servers].reverse()) await server.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}

async function writeAccess(directory: string, port: number): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await mkdir(join(directory, 'certificates'));
  await writeFile(join(directory, 'accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await writeFile(join(directory, 'accounts.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  await writeFile(join(directory, 'tokens.csv'), `${TOKEN},tests,tests,"system:masters"\n`);
  const kubeconfig = join(directory, 'kubeconfig');
  const access = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: TOKEN } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  await writeFile(kubeconfig, stringify(access), { mode: 0o600 });
  return kubeconfig;
}

const etcdArguments = (directory: string, ports: { readonly etcd: number; readonly peers: number }): string[] => [
  '--name=tests',
  `--data-dir=${join(directory, 'etcd')}`,
  `--listen-client-urls=http://127.0.0.1:${ports.etcd}`,
  `--advertise-client-urls=http://127.0.0.1:${ports.etcd}`,
  `--listen-peer-urls=http://127.0.0.1:${ports.peers}`,
  `--initial-advertise-peer-urls=http://127.0.0.1:${ports.peers}`,
  `--initial-cluster=tests=http://127.0.0.1:${ports.peers}`,
  '--unsafe-no-fsync=true',
];

const apiArguments = (directory: string, ports: { readonly etcd: number; readonly api: number }): string[] => [
  `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
  `--secure-port=${ports.api}`,
  '--bind-address=127.0.0.1',
  `--cert-dir=${join(directory, 'certificates')}`,
  `--token-auth-file=${join(directory, 'tokens.csv')}`,
  '--authorization-mode=RBAC',
  '--service-cluster-ip-range=10.96.0.0/16',
  '--service-account-issuer=https://kubernetes.default.svc',
  `--service-account-key-file=${join(directory, 'accounts.pub')}`,
  `--service-account-signing-key-file=${join(directory, 'accounts.key')}`,
  '--endpoint-reconciler-type=none',
];

const controllerArguments = (directory: string, kubeconfig: string, port: number): string[] => [
  `--kubeconfig=${kubeconfig}`,
  `--secure-port=${port}`,
  '--bind-address=127.0.0.1',
  `--cert-dir=${join(directory, 'certificates')}`,
  `--service-account-private-key-file=${join(directory, 'accounts.key')}`,
  '--leader-elect=false',
  '--controllers=serviceaccount-controller,namespace-controller,deployment-controller,replicaset-controller,statefulset-controller,disruption-controller,garbage-collector-controller,persistentvolumeclaim-protection-controller',
];
