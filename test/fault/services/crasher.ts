import type { DistributedStack } from '../../distributed/stack.js';

/** Kills processes and starts them again at once. */
export class Crasher {
  private readonly restarts = new Map<string, Promise<void>>();
  private readonly killed = new Set<string>();
  private readonly failures: unknown[] = [];
  /** How often each process died. */
  readonly deaths = new Map<string, number>();

  constructor(private readonly stack: DistributedStack) {}

  /** SIGKILL, sent before this returns; one that is dead or starts already dies (again) and is started once. */
  crash(name: string): void {
    this.killed.add(name);
    this.stack.process(name).signal('SIGKILL');
    if (this.restarts.has(name)) return;
    const again = this.revive(name)
      .catch((error: unknown) => void this.failures.push(error))
      .finally(() => this.restarts.delete(name));
    this.restarts.set(name, again);
  }

  /** Resolves when everything runs again; throws when something did not start by itself. */
  async settled(): Promise<void> {
    while (this.restarts.size > 0) await Promise.all(this.restarts.values());
    if (this.failures.length > 0) throw this.failures[0];
  }

  private async revive(name: string): Promise<void> {
    const child = this.stack.process(name);
    while (this.killed.delete(name)) {
      await child.gone();
      this.deaths.set(name, (this.deaths.get(name) ?? 0) + 1);
      await child.start().catch((error: unknown) => {
        if (!this.killed.has(name)) throw error;
      });
    }
  }
}
