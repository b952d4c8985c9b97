import type { FeedEvent } from './event-feed.js';
import { screen } from './screen.js';

interface Run {
  readonly taskId: string;
  readonly conductor: string;
  readonly since: number;
  readonly resource: string;
}

export interface Takeover {
  readonly what: string;
  readonly from: string;
  readonly to: string;
  readonly afterMs: number;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Follows task events: which conductor runs which task, and which tasks were taken over. Prints the steps of nodes. */
export class WorkWatch {
  readonly takeovers: Takeover[] = [];
  private readonly names = new Map<string, string>();
  /** The running task of each resource by id; a resource has one task at a time. */
  private readonly running = new Map<string, Run>();
  private readonly lastRun = new Map<string, Run>();
  private killed: { readonly conductor: string; readonly at: number } | undefined;

  name(id: string): string {
    return this.names.get(id) ?? id.slice(-8);
  }

  runningOn(conductor: string): readonly string[] {
    return [...this.running.values()].filter(run => run.conductor === conductor).map(run => run.resource);
  }

  /** Returns how many tasks this conductor has run for at least `forMs`. */
  busy(conductor: string, forMs: number): number {
    const old = performance.now() - forMs;
    return [...this.running.values()].filter(r => r.conductor === conductor && r.since <= old).length;
  }

  markKilled(conductor: string): void {
    this.killed = { conductor, at: performance.now() };
  }

  see({ type, subject, data }: FeedEvent): void {
    const [category = '', id = ''] = subject.split('/');
    const what = type.replace(/^stave\.\w+\./, '').replace(/\.v\d+$/, '');
    if (what === 'declared' || what === 'created') this.names.set(id, text(data['name']));
    if (category !== 'node') return;
    if (what === 'taskClaimed') this.claimed(id, data);
    else if (what === 'taskProgressed') screen.line(`${this.label(id)} ${text(data['step'])}`);
    else if (what === 'taskCompleted' || what === 'taskFailed') this.ended(id, what, data);
    else if (what === 'becameActive') screen.line(`${this.label(id)} is ACTIVE`);
  }

  private claimed(id: string, data: FeedEvent['data']): void {
    const run = {
      taskId: text(data['taskId']),
      conductor: text(data['conductor']),
      since: performance.now(),
      resource: id,
    };
    const before = this.lastRun.get(run.taskId);
    this.running.set(id, run);
    this.lastRun.set(run.taskId, run);
    if (before !== undefined && before.conductor === this.killed?.conductor && before.conductor !== run.conductor) {
      const afterMs = performance.now() - this.killed.at;
      this.takeovers.push({ what: this.name(id), from: before.conductor, to: run.conductor, afterMs });
      screen.line(`${this.label(id)} TAKEN OVER by ${run.conductor}, ${(afterMs / 1000).toFixed(1)} s after the kill`);
    } else screen.line(`${this.label(id)} claimed by ${run.conductor}`);
  }

  private ended(id: string, what: string, data: FeedEvent['data']): void {
    this.running.delete(id);
    if (what === 'taskFailed')
      screen.line(`${this.label(id)} attempt failed: ${JSON.stringify(data['error'] ?? data)}`);
  }

  private label(id: string): string {
    return this.name(id).padEnd(11);
  }
}
