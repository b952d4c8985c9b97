import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { MachineEngine } from '@stave/driver-sdk';
import { aDriverContext } from '@stave/driver-sdk/testing';
import { DockerEngine } from '../docker-engine.js';
import { hasStatus, undefinedOn } from '../engine-error.js';
import { pollUntil } from '../poll-until.js';
import { startSshServer, type SshServer } from './ssh-server.fixture.js';
import { hostSocket } from './docker-missing.js';

const run = promisify(execFile);
const megabyte = 2 ** 20;
/** Makes an image with a Docker Engine. */
const build = join(__dirname, '../../../drivers/swarm-docker/image/build.sh');

/** How a conductor reaches a machine of a test. */
export type Reach = 'unix' | 'tcp' | 'ssh';

/** A machine of a test: an engine in a container, with an address in a network of the test. */
export interface TestMachine {
  readonly name: string;
  readonly containerId: string;
  readonly address: string;
  readonly socket: string;
  /** The engine itself, as somebody on the machine sees it. */
  readonly engine: DockerEngine;
}

/** Machines with engines of their own that have nothing to do with Stave: as containers of this machine's engine. */
export class TestMachines {
  readonly ctx = aDriverContext();
  readonly host = new DockerEngine(hostSocket);
  private readonly made = new Set<string>();
  private ssh: SshServer | undefined;

  private constructor(
    private readonly directory: string,
    private readonly networkId: string,
    private readonly prefix: string,
    private readonly image: string,
  ) {}

  /** The directory of secrets that a conductor gets. */
  get secretsDir(): string {
    return join(this.directory, 'secrets');
  }

  static async open(): Promise<TestMachines> {
    const directory = await mkdtemp(join(tmpdir(), 'sm-'));
    const host = new DockerEngine(hostSocket);
    const ctx = aDriverContext();
    const { stdout } = await run('bash', [build], { env: { ...process.env, SWARM_DOCKER_NODE_IMAGE: '' } });
    const prefix = `stave-test-${directory.slice(-6)}`;
    // addresses can be chosen only where the subnet was
    const Config = [{ Subnet: `10.223.${randomInt(256)}.0/24` }];
    const body = { Name: prefix, CheckDuplicate: true, Labels: { 'stave.test': prefix }, IPAM: { Config } };
    const { Id } = await host.change<{ Id: string }>(ctx, 'POST', '/networks/create', { body });
    const machines = new TestMachines(directory, Id, prefix, stdout.trim());
    await mkdir(join(machines.secretsDir, 'machines'), { recursive: true });
    await machines.makeAuthority();
    return machines;
  }

  /**
   * Starts a machine. One with the name and the `address` of a machine that was destroyed takes its place, with another engine. `runsNodes`: its
   * engine can run containers that are nodes themselves.
   */
  async start(
    name: string,
    options: { readonly memoryMb?: number; readonly address?: string; readonly runsNodes?: boolean } = {},
  ): Promise<TestMachine> {
    const { memoryMb = 512, address: wanted, runsNodes = false } = options;
    const socketDir = join(this.directory, name);
    const tlsDir = join(this.directory, `${name}-tls`);
    // of a machine whose place this one takes: its engine would start with one file of the former certificate and one of its own
    await rm(tlsDir, { recursive: true, force: true });
    await Promise.all([socketDir, tlsDir].map(path => mkdir(path, { recursive: true, mode: 0o700 })));
    const tls = ['--tlsverify', '--tlscacert=/tls/ca.pem', '--tlscert=/tls/cert.pem', '--tlskey=/tls/key.pem'];
    const body = {
      Image: this.image,
      Hostname: name,
      Labels: { 'stave.test': this.prefix },
      Entrypoint: ['/bin/sh', '-c', waitForCertificate],
      Cmd: ['sh', '--host=tcp://0.0.0.0:2376', ...tls],
      HostConfig: {
        ...(runsNodes ? rightsOfNodes : rightsOfEngines),
        SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined'],
        CgroupnsMode: 'private',
        NetworkMode: this.networkId,
        Memory: memoryMb * megabyte,
        MemorySwap: memoryMb * megabyte,
        Tmpfs: { '/run': 'exec', '/tmp': '' },
        Mounts: [
          { Type: 'bind', Source: socketDir, Target: '/stave' },
          { Type: 'bind', Source: tlsDir, Target: '/tls', ReadOnly: true },
          { Type: 'volume', Target: '/var/lib/docker', VolumeOptions: { Labels: { 'stave.test': this.prefix } } },
        ],
      },
      ...(wanted !== undefined && {
        NetworkingConfig: { EndpointsConfig: { [this.networkId]: { IPAMConfig: { IPv4Address: wanted } } } },
      }),
    };
    const query = { name: `${this.prefix}-${name}` };
    const { Id } = await this.host.change<{ Id: string }>(this.ctx, 'POST', '/containers/create', { query, body });
    this.made.add(Id);
    await this.host.start(this.ctx, Id);
    const address = (await this.host.container(this.ctx, Id))?.NetworkSettings.Networks[this.prefix]?.IPAddress ?? '';
    await this.certify(tlsDir, 'server', address);
    const socket = join(socketDir, 'd.sock');
    const engine = new DockerEngine(socket);
    await this.answering(name, engine);
    return { name, containerId: Id, address, socket, engine };
  }

  async answering(name: string, engine: DockerEngine): Promise<void> {
    const options = { what: `engine of ${name}`, withinMs: 60_000 };
    await pollUntil(this.ctx, options, () => engine.info(this.ctx, 3_000));
  }

  /** Returns how a conductor reaches the machine, and writes the secret for it. */
  async reach({ name, address, socket }: TestMachine, how: Reach): Promise<MachineEngine> {
    if (how === 'unix') return { url: `unix://${socket}?advertise=${address}` };
    const secret = `${name}-${how}`;
    const directory = join(this.secretsDir, 'machines', secret);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    if (how === 'tcp') {
      await this.certify(directory, 'client', address);
      return { url: `tcp://${address}:2376`, secret };
    }
    const port = await this.sshPort();
    await copyFile(join(this.directory, 'ssh', 'id'), join(directory, 'id'));
    await chmod(join(directory, 'id'), 0o600);
    const hostKey = await readFile(join(this.directory, 'ssh', 'host.pub'), 'utf8');
    await writeFile(join(directory, 'known_hosts'), `[127.0.0.1]:${port} ${hostKey}`);
    return { url: `ssh://${userInfo().username}@127.0.0.1:${port}${socket}?advertise=${address}`, secret };
  }

  /** Pulls the plug of the network: nobody reaches the machine, and it reaches nobody. */
  async cutOff({ containerId }: TestMachine): Promise<void> {
    const body = { Container: containerId, Force: true };
    await this.host.change(this.ctx, 'POST', `/networks/${this.networkId}/disconnect`, { body });
  }

  async reconnect({ containerId, address }: TestMachine): Promise<void> {
    const body = { Container: containerId, EndpointConfig: { IPAMConfig: { IPv4Address: address } } };
    await this.host.change(this.ctx, 'POST', `/networks/${this.networkId}/connect`, { body });
  }

  /** Destroys the machine. */
  async destroy({ containerId }: TestMachine): Promise<void> {
    await this.host.removeContainer(this.ctx, containerId);
    this.made.delete(containerId);
  }

  async close(): Promise<void> {
    for (const id of this.made) await this.host.removeContainer(this.ctx, id);
    await undefinedOn([404], this.host.change(this.ctx, 'DELETE', `/networks/${this.networkId}`)).catch(
      (error: unknown) => {
        if (!hasStatus(error, 403)) throw error;
        throw new Error('the network of the test still has machines', { cause: error });
      },
    );
    this.ssh?.child.kill();
    await rm(this.directory, { recursive: true, force: true });
  }

  private async makeAuthority(): Promise<void> {
    const [key, cert] = [join(this.directory, 'ca-key.pem'), join(this.directory, 'ca.pem')];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    await run('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, '-subj', '/CN=test', '-days', '2']);
  }

  private async certify(directory: string, use: 'server' | 'client', address: string): Promise<void> {
    const at = (file: string): string => join(directory, file);
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    await run('openssl', ['req', ...curve, '-keyout', at('key.pem'), '-out', at('csr'), '-subj', `/CN=${use}`]);
    await writeFile(at('ext'), `extendedKeyUsage=${use}Auth\nsubjectAltName=IP:${address}\n`);
    const signer = ['-CA', join(this.directory, 'ca.pem'), '-CAkey', join(this.directory, 'ca-key.pem')];
    // certificates are made at the same time, so they cannot share openssl's file of serial numbers
    const serial = ['-set_serial', String(randomInt(1, 2 ** 47))];
    const made = [...serial, '-days', '2', '-extfile', at('ext'), '-out', at('cert.pem')];
    await run('openssl', ['x509', '-req', '-in', at('csr'), ...signer, ...made]);
    await copyFile(join(this.directory, 'ca.pem'), at('ca.pem'));
    await writeFile(at('ready'), '');
  }

  /** Starts the ssh server of this machine once, and returns its port. */
  private async sshPort(): Promise<number> {
    this.ssh ??= await startSshServer(this.ctx, join(this.directory, 'ssh'));
    return this.ssh.port;
  }
}

const rightsOfEngines = {
  CapAdd: ['SYS_ADMIN', 'NET_ADMIN'],
  ReadonlyPaths: ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sysrq-trigger'],
};
/** What a container may have that runs containers with systemd; machines of tests exist that lack the two capabilities. */
const rightsOfNodes = {
  CapAdd: ['ALL'],
  CapDrop: ['SYS_RESOURCE', 'SYS_MODULE'],
  MaskedPaths: [],
  ReadonlyPaths: [],
};

/** The certificate needs the address, which a container gets with its start. */
const waitForCertificate =
  'until [ -e /tls/ready ]; do sleep 0.1; done; exec /usr/bin/docker-init -- /usr/sbin/node-init "$@"';
