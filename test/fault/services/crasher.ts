import type { DistributedStack } from '../../distributed/stack.js';

/** Kills processes and starts them again at once. */
export class Crasher {
  private readonly killedPids = new Set<number>();
  private readonly kills = new Map<string, number>();
  private readonly restarts = new Map<string, Promise<void>>();
  private readonly failures: unknown[] = [];

  constructor(private readonly stack: Pick<DistributedStack, 'process'>) {}

  /** Returns how often the process was killed. */
  killsOf(name: string): number {
    return this.kills.get(name) ?? 0;
  }

  /**
   * Sends SIGKILL before it returns, even to a process that is starting, and starts the process again. No process is
   * killed twice.
   */
  crash(name: string): void {
    const child = this.stack.process(name);
    const { pid } = child;
    if (pid === undefined || this.killedPids.has(pid)) return;
    this.killedPids.add(pid);
    this.kills.set(name, this.killsOf(name) + 1);
    child.signal('SIGKILL');
    if (this.restarts.has(name)) return;
    this.restarts.set(
      name,
      this.restart(name).catch((error: unknown) => void this.failures.push(error)),
    );
  }

  /** Resolves when every killed process runs again; throws when one did not start. */
  async settled(): Promise<void> {
    while (this.restarts.size > 0) await Promise.all(this.restarts.values());
    if (this.failures.length > 0) throw this.failures[0];
  }

  private async restart(name: string): Promise<void> {
    const child = this.stack.process(name);
    try {
      for (let known = 0; known !== this.killsOf(name);) {
        known = this.killsOf(name);
        await child.gone();
        await child.start().catch((error: unknown) => {
          if (known === this.killsOf(name)) throw error;
        });
      }
    } finally {
      this.restarts.delete(name);
    }
  }
}
