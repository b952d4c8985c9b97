import { randomUUID } from 'node:crypto';
import type { ServiceName } from '@stave/contracts';
import type { Election, Logger, Messaging } from '@stave/platform';

/** Work of which one replica of a service at a time does its part: the elected leader. */
export interface LeaderTask {
  start(): void;
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

export interface LeaderTasksOptions {
  readonly service: ServiceName;
  readonly messaging: Messaging;
  readonly log: Logger;
  /** See {@link ServicePorts.worksFrom}. */
  readonly worksFrom?: Promise<void>;
}

/** Takes part in the election of the service's leader, and runs the registered tasks while this replica is elected. */
export class LeaderTasks {
  private readonly immediate: LeaderTask[] = [];
  private readonly deferred: LeaderTask[] = [];
  private election: Election | undefined;
  /** Counts the changes of leadership. */
  private term = 0;
  private transition: Promise<void> = Promise.resolve();

  constructor(private readonly options: LeaderTasksOptions) {}

  /** Runs the task from the moment of the election on. */
  add(task: LeaderTask): void {
    this.immediate.push(task);
  }

  /** Runs the task once elected and `worksFrom` has resolved. */
  addDeferred(task: LeaderTask): void {
    this.deferred.push(task);
  }

  start(): void {
    const { service, messaging, log } = this.options;
    this.election = messaging.elect(service, randomUUID(), leading => {
      this.transition = this.transition
        .then(() => (leading ? this.lead() : this.follow()))
        .catch((err: unknown) => log.error({ err }, 'the change of leadership failed'));
    });
  }

  async stop(): Promise<void> {
    await this.election?.close();
    await this.transition;
    await this.follow();
  }

  private lead(): void {
    for (const task of this.immediate) task.start();
    const term = ++this.term;
    const { worksFrom } = this.options;
    if (!worksFrom) return this.startDeferred();
    void worksFrom.then(() => {
      if (term === this.term) this.startDeferred();
    });
  }

  private startDeferred(): void {
    for (const task of this.deferred) task.start();
  }

  private async follow(): Promise<void> {
    this.term += 1;
    await Promise.all([...this.deferred, ...this.immediate].map(task => task.stop()));
  }
}
