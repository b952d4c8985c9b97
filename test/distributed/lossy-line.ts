import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { endWithThisProcess, repositoryRoot } from '@stave/testing';

const NAMESPACE = ['--map-root-user', '--net'];
const env = { PATH: [process.env['PATH'], '/usr/sbin', '/sbin'].join(delimiter) };
const PROBE =
  'ip link set lo up && iptables --append INPUT --match statistic --mode random --probability 0.5 --jump DROP';

/** Returns why packets cannot be lost on this machine; undefined when they can. */
export function lossyLineMissing(): string | undefined {
  const probed = spawnSync('unshare', [...NAMESPACE, 'sh', '-c', PROBE], { env });
  return probed.status === 0
    ? undefined
    : 'no network namespace with iptables: run scripts/install-test-servers.sh as root';
}

/**
 * A relay for tests on which single packets are lost, at random and in both directions. Its bytes go over TCP in a network namespace of
 * their own, where iptables drops packets: no rule is made on this machine, and the namespace ends with this process.
 */
export class LossyLine {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly folder: string,
    private readonly namespace: ChildProcess,
    private readonly servers: readonly Server[],
    readonly port: number,
  ) {}

  /** Opens a line to a port of this machine, which loses nothing at first. Rejects when `lossyLineMissing` has a reason. */
  static async open(target: number): Promise<LossyLine> {
    const folder = await mkdtemp(join(tmpdir(), 'stave-lossy-'));
    const [near, far] = [createServer(), createServer()];
    far.listen(join(folder, 'far'));
    near.listen(0, '127.0.0.1');
    await Promise.all([once(near, 'listening'), once(far, 'listening')]);
    const program = join(repositoryRoot(), 'test', 'distributed', 'lossy-line.process.mjs');
    const namespace = spawn('unshare', [...NAMESPACE, process.execPath, program, folder], {
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    endWithThisProcess(namespace);
    const address = near.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const line = new LossyLine(folder, namespace, [near, far], port);
    near.on('connection', socket => line.relay(socket, connect(join(folder, 'near'))));
    far.on('connection', socket => line.relay(socket, connect(target, '127.0.0.1')));
    await line.answer();
    return line;
  }

  /** Loses this share of the packets (0 to 1) from now on. Resolves to the number of packets that were lost with the share before. */
  async lose(share: number): Promise<number> {
    const answer = this.answer();
    this.namespace.send(share);
    return answer;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    for (const server of this.servers) server.close();
    if (this.namespace.exitCode === null && this.namespace.signalCode === null) {
      const ended = once(this.namespace, 'exit');
      this.namespace.kill('SIGKILL');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  private async answer(): Promise<number> {
    const ended = once(this.namespace, 'exit').then(([code]) => {
      throw new Error(`the namespace of the lossy line ended with ${String(code)}`);
    });
    const [lost] = (await Promise.race([once(this.namespace, 'message'), ended])) as [number];
    ended.catch(() => undefined);
    return lost;
  }

  private relay(from: Socket, to: Socket): void {
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      this.sockets.add(one);
      one.pipe(other);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
  }
}
