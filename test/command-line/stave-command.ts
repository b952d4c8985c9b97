import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { endWithThisProcess, repositoryRoot } from '@stave/testing';

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

const bin = join(repositoryRoot(), 'node_modules', '.bin');

/** Runs `stave` as a user does: as a process, with a home directory of its own. */
export class StaveCommand {
  private constructor(
    readonly home: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  static async at(url: string, token: string): Promise<StaveCommand> {
    const home = await mkdtemp(join(tmpdir(), 'stave-cli-'));
    return new StaveCommand(home, { STAVE_URL: url, STAVE_TOKEN: token });
  }

  /** Removes the home directory, again when a command whose terminal was closed still wrote into it meanwhile. */
  close(): Promise<void> {
    return rm(this.home, { recursive: true, force: true, maxRetries: 20 });
  }

  /** Starts a program that finds `stave` in its path. */
  start(program: string, args: readonly string[], { env = {} }: RunOptions = {}): ChildProcess {
    const path = [bin, process.env['PATH'] ?? ''].join(delimiter);
    const child = spawn(program, args, {
      cwd: this.home,
      env: { PATH: path, HOME: this.home, ...this.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    endWithThisProcess(child);
    return child;
  }

  /** Runs a program to its end. */
  async runProgram(program: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const child = this.start(program, args, options);
    const written = { out: '', err: '' };
    child.stdout?.on('data', (data: Buffer) => (written.out += data.toString()));
    child.stderr?.on('data', (data: Buffer) => (written.err += data.toString()));
    child.stdin?.end(options.input ?? '');
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...written };
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    return this.runProgram('stave', args, options);
  }

  /** Runs a command that must succeed, and returns what it wrote as JSON. */
  async json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
    const { code, out, err } = await this.run([...args, '-o', 'json']);
    if (code !== 0) throw new Error(`stave ${args.join(' ')} ended with ${code}: ${err}`);
    return JSON.parse(out) as T;
  }
}
