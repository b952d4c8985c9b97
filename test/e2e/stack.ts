import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { journalPath } from '@stave/driver-fake';
import { endWithThisProcess, recordServer, repositoryRoot } from '@stave/testing';

/** A running product under test, with conductors in the default group and in `site-b` and the drivers `fake` and `swarm_docker`. */
export interface Stack {
  readonly url: string;
  readonly adminKey: string;
  /** Path of the fake cloud's journal for `readJournal`. */
  readonly journalPath: string;
  close(): Promise<void>;
}

/** Returns the stack, which is started before all tests. */
export type StackOf = () => Stack;

const START_MS = 60_000;

/** The product in one separate process. */
export class EmbeddedStack implements Stack {
  private constructor(
    private readonly running: { readonly child: ChildProcess; readonly output: () => string },
    readonly dataDir: string,
    readonly url: string,
    readonly adminKey: string,
  ) {}

  get journalPath(): string {
    return journalPath(this.dataDir);
  }

  /** The end of the log. */
  get recentLog(): string {
    return this.running.output();
  }

  /** Starts the product, optionally on an existing data directory, and resolves when it answers requests. */
  static async start(dataDir?: string, settings: Readonly<Record<string, string>> = {}): Promise<EmbeddedStack> {
    recordServer('event store', 'embedded');
    recordServer('document store', 'in process');
    recordServer('messaging', 'in process');
    const directory = dataDir ?? (await mkdtemp(join(tmpdir(), 'stave-e2e-')));
    const fixed = { PORT: '0', DATA_DIR: directory, HOOK_HOSTS: '127.0.0.1' };
    const env = { ...fixed, CONDUCTOR_GROUPS: ',site-b', DRIVERS_ENABLED: 'fake,swarm_docker' };
    const main = join(repositoryRoot(), 'apps', 'all-in-one', 'dist', 'main.js');
    const child = spawn(process.execPath, ['--enable-source-maps', main], {
      env: { ...process.env, NODE_OPTIONS: '', ...env, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    endWithThisProcess(child);
    let output = '';
    const ready = new Promise<RegExpExecArray>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`not ready within ${START_MS} ms: ${output}`)), START_MS);
      const take = (text: Buffer): void => {
        output = (output + text.toString()).slice(-20_000);
        const line = /ready at (\S+) /.exec(output);
        if (!line) return;
        clearTimeout(late);
        resolve(line);
      };
      child.stdout.on('data', take);
      child.stderr.on('data', take);
      child.once('exit', code => reject(new Error(`ended with ${code} before it was ready: ${output}`)));
    });
    const [, url = ''] = await ready;
    const key = (await readFile(join(directory, 'admin.key'), 'utf8')).trim();
    return new EmbeddedStack({ child, output: () => output }, directory, url, key);
  }

  /** Sends a signal that does not end the process. */
  signal(signal: 'SIGUSR2'): void {
    this.running.child.kill(signal);
  }

  /** Sends the signal and returns the exit code of the process; null after SIGKILL. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const { child } = this.running;
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill(signal);
      const force = setTimeout(() => child.kill('SIGABRT'), 30_000);
      await exit;
      clearTimeout(force);
    }
    return child.exitCode;
  }

  /** Stops the process and removes its data; throws when it ended before or with an error. */
  async close(): Promise<void> {
    const { exitCode, signalCode } = this.running.child;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`ended by itself, with ${exitCode ?? signalCode}: ${this.running.output()}`);
    const code = await this.end('SIGTERM');
    await rm(this.dataDir, { recursive: true, force: true });
    if (code !== 0) throw new Error(`ended with ${code}: ${this.running.output()}`);
  }
}

export const startEmbedded = (): Promise<Stack> => EmbeddedStack.start();
