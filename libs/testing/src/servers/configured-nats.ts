import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@stave/platform/testing';
import { recordServer } from './record-server.js';
import { freePort, ServerProcess } from './server-process.js';
import { natsProgram } from './start-nats.js';

/** Returns why the tests cannot start NATS servers with a configuration of their own; undefined when they can. */
export function natsProgramMissing(): string | undefined {
  return natsProgram() === undefined ? 'no nats-server: run scripts/install-test-servers.sh' : undefined;
}

/** A NATS server of the tests with a configuration file, whatever NATS_URL names. */
export class ConfiguredNats {
  private constructor(
    private readonly process: ServerProcess,
    private readonly folder: string,
    readonly port: number,
    readonly url: string,
  ) {}

  /** Starts it; `configuration` are the lines of the file besides address, port and the folder of JetStream's store. */
  static async start(configuration: string, port?: number): Promise<ConfiguredNats> {
    const program = natsProgram();
    if (program === undefined) throw new Error('there is no nats-server');
    const folder = await mkdtemp(join(tmpdir(), 'stave-nats-'));
    const at = port ?? (await freePort());
    const args = ['-c', join(folder, 'nats.conf'), '-a', '127.0.0.1', '-p', String(at), '-sd', join(folder, 'store')];
    const nats = new ConfiguredNats(new ServerProcess(program, args, at), folder, at, `nats://127.0.0.1:${at}`);
    await nats.configure(configuration);
    await nats.process.start();
    recordServer('messaging', 'nats-server');
    return nats;
  }

  /** How often a line with this text is in the end of its log. */
  logged(text: string): number {
    return this.process.written.split(text).length - 1;
  }

  /** Lets it read another configuration while it runs. */
  async reload(configuration: string): Promise<void> {
    const done = 'Reloaded server configuration';
    const before = this.logged(done);
    await this.configure(configuration);
    this.process.signal('SIGHUP');
    await eventually(() => this.logged(done) > before, { timeoutMs: 60_000, what: 'NATS has read its configuration' });
  }

  /** Starts it with another configuration on the same port with the same store. */
  async restart(configuration?: string): Promise<void> {
    await this.process.kill();
    if (configuration !== undefined) await this.configure(configuration);
    await this.process.start();
  }

  /** It does nothing while `step` runs: what arrives meanwhile waits for it. */
  suspended(step: () => void): void {
    this.process.signal('SIGSTOP');
    try {
      step();
    } finally {
      this.process.signal('SIGCONT');
    }
  }

  kill(): Promise<void> {
    return this.process.kill();
  }

  async stop(): Promise<void> {
    await this.process.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private configure(configuration: string): Promise<void> {
    return writeFile(join(this.folder, 'nats.conf'), `${configuration}\n`);
  }
}
