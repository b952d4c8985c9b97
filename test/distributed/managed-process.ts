import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { endWithThisProcess, eventually } from '@stave/testing';

export interface ProcessOptions {
  /** Path of the program, a JavaScript file. */
  readonly entry: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The file to which standard output and standard error are appended. */
  readonly logFile: string;
  /** Returns whether the process is ready; called repeatedly after every start until it returns true. */
  readonly ready: () => Promise<boolean>;
  /** Called before every start. */
  readonly beforeStart?: () => Promise<void>;
  /** Milliseconds; default 60,000. */
  readonly startTimeoutMs?: number;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The same flags as in `scripts/run.mjs`. */
const NODE_FLAGS = ['--enable-source-maps', '--no-memory-reducer', '--min-semi-space-size=16'];
const LOG_TAIL = 2_000;

/** A child process of Node.js that can be ended in any way and started again with the same settings. */
export class ManagedProcess {
  private child: ChildProcess | undefined;
  private ended: Promise<ProcessEnd> | undefined;

  constructor(
    readonly name: string,
    private options: ProcessOptions,
  ) {}

  /** Changes the program, and adds settings, from the next start on: as an upgrade does. */
  change({ entry = this.options.entry, env = {} }: Partial<Pick<ProcessOptions, 'entry' | 'env'>>): void {
    this.options = { ...this.options, entry, env: { ...this.options.env, ...env } };
  }

  get entry(): string {
    return this.options.entry;
  }

  /** Returns the value with which the process is started; undefined when it takes the default. */
  setting(name: string): string | undefined {
    return this.options.env[name];
  }

  get pid(): number | undefined {
    return this.running ? this.child?.pid : undefined;
  }

  get running(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Starts the process and waits until it is ready; rejects with the end of its log when it ends first or is not ready in time. */
  async start(): Promise<void> {
    if (this.running) throw new Error(`${this.name} is already running`);
    const { entry, env, cwd, logFile, ready, beforeStart, startTimeoutMs = 60_000 } = this.options;
    await beforeStart?.();
    const log = openSync(logFile, 'a', 0o600);
    // a separate process group: Ctrl-C in a terminal must not end all processes at once
    const child = spawn(process.execPath, [...NODE_FLAGS, entry], {
      cwd,
      env,
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    this.child = child;
    this.ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
    endWithThisProcess(child);
    const up = eventually(async () => !this.running || (await ready()), {
      timeoutMs: startTimeoutMs,
      everyMs: 50,
      what: `${this.name} is ready`,
    });
    await up.catch((cause: unknown) => {
      throw new Error(`${this.name} did not become ready: ${this.logTail()}`, { cause });
    });
    if (!this.running) throw new Error(`${this.name} ended during its start: ${this.logTail()}`);
  }

  /** Sends a signal, for example SIGSTOP or SIGCONT, and does not wait. */
  signal(signal: NodeJS.Signals): void {
    if (this.running) this.child?.kill(signal);
  }

  /** Ends the process, by default with SIGKILL, and waits until it has ended. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<ProcessEnd | undefined> {
    this.signal(signal);
    return this.gone();
  }

  /** Sends SIGTERM, after `graceMs` SIGKILL. Returns how the process ended; undefined when it was never started. */
  async stop(graceMs = 20_000): Promise<ProcessEnd | undefined> {
    const force = setTimeout(() => this.signal('SIGKILL'), graceMs);
    try {
      return await this.kill('SIGTERM');
    } finally {
      clearTimeout(force);
    }
  }

  /** Stops the process if it runs, starts it with the same settings and waits until it is ready. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Resolves when the process has ended for any reason. */
  async gone(): Promise<ProcessEnd | undefined> {
    return this.ended;
  }

  logTail(): string {
    return readFileSync(this.options.logFile, 'utf8').slice(-LOG_TAIL);
  }
}
