import { ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { eventually } from '@stave/platform/testing';
import { endWithThisProcess } from './end-with-this-process.js';

/** Returns a free loopback port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Whether a loopback port accepts connections. */
export function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    const end = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}

interface ServerProcessOptions {
  readonly uid?: number;
  readonly gid?: number;
  readonly cwd?: string;
  /** Whether to start the program again when it ends by itself, as the supervisor of an installation does; default: no. */
  readonly restarts?: boolean;
}

/** A server program as a child process, which ends with this process unless this one is killed. */
export class ServerProcess {
  private child: ChildProcess | undefined;
  private output = '';

  constructor(
    private readonly program: string,
    private readonly args: readonly string[],
    private readonly port: number,
    private readonly options: ServerProcessOptions = {},
  ) {}

  /** Starts the program and waits until it accepts connections. */
  async start(): Promise<void> {
    const { restarts = false, ...options } = this.options;
    const child = spawn(this.program, [...this.args], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.child = child;
    this.output = '';
    const keep = (text: Buffer): void => {
      this.output = (this.output + text.toString()).slice(-20_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', error => keep(Buffer.from(error.message)));
    child.once('exit', (code, signal) => this.report(child, `${signal ?? code}`, restarts));
    endWithThisProcess(child);
    await eventually(() => accepts(this.port), { timeoutMs: 20_000, what: `${this.program} takes connections` }).catch(
      (cause: unknown) => {
        throw new Error(`${this.program} does not start: ${this.output}`, { cause });
      },
    );
  }

  /** Says on standard error that the program ended although nobody stopped it, so that a run shows why its tests fail. */
  private report(child: ChildProcess, reason: string, restarts: boolean): void {
    if (this.child !== child) return;
    process.stderr.write(`${this.program} ended by itself (${reason}): ${this.output}\n`);
    if (restarts) this.start().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
  }

  /** The end of what it has written since its start. */
  get written(): string {
    return this.output;
  }

  /** Sends a signal that does not end it, such as SIGHUP to read its configuration again, or SIGSTOP. */
  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** Stops it with SIGTERM, and with SIGKILL after 10 s. Resolves when the process has ended. */
  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  /** Kills it with SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  private async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await gone;
    clearTimeout(force);
  }
}
