import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { NewerEventError } from '@stave/domain';
import { counter, gauge, type Election } from '@stave/platform';
import { SERVICE_OPTIONS, type ServiceOptions } from '../composition/ports.js';
import { NewerEvents } from '../events/newer-events.js';
import { ReadModels } from '../read-models/read-models.js';
import { ReconcileQueue, type ReconcileQueueOptions } from './reconcile-queue.js';

const leader = gauge({
  name: 'stave_leader',
  help: '1: this process is the elected replica of the service',
  labels: ['service'],
});
const queued = gauge({
  name: 'stave_reconcile_queue_length',
  help: 'Resources that wait for the reconciler of the elected replica, rest before their next call, or are reconciled',
  labels: ['service', 'queue'],
});
const failures = counter({
  name: 'stave_reconcile_failures_total',
  help: 'Calls of a reconciler that failed and are repeated',
  labels: ['service', 'queue'],
});

/** Work that only one replica of a service does at a time: the elected leader. */
export interface LeaderTask {
  start(): void;
  /** Resolves when no part of the task runs any more. */
  stop(): Promise<void>;
}

/** Takes part in the election of the service's leader, and runs the registered tasks while this replica is elected. */
@Injectable()
export class LeaderTasks {
  private readonly immediate: LeaderTask[] = [];
  private readonly deferred: LeaderTask[];
  private election: Election | undefined;
  /** Counts the changes of leadership. */
  private term = 0;
  private started = false;
  private transition: Promise<void> = Promise.resolve();

  constructor(
    @Inject(SERVICE_OPTIONS)
    private readonly options: Pick<ServiceOptions, 'service' | 'messaging' | 'log' | 'worksFrom'>,
    readModels: ReadModels,
    private readonly newer: NewerEvents,
  ) {
    this.deferred = [readModels];
    newer.onFound(() => this.resign());
    leader.from({ service: options.service }, this, ({ isLeading }) => Number(isLeading));
  }

  get isLeading(): boolean {
    return this.election?.leading ?? false;
  }

  /** Runs the task from the moment of the election on. */
  add(task: LeaderTask): void {
    this.immediate.push(task);
  }

  /** Returns a queue for resources of this type; it runs once this replica is elected and `worksFrom` has resolved. */
  addQueue(resource: string, options: Omit<ReconcileQueueOptions, 'onError'>): ReconcileQueue {
    const labels = { service: this.options.service, queue: resource };
    const onError = (id: string, err: unknown): void => {
      failures(labels);
      if (err instanceof NewerEventError) return this.newer.stop(err);
      this.options.log.warn({ err, id, resource }, 'reconciliation failed; it is retried');
    };
    const queue = new ReconcileQueue({ ...options, onError });
    this.deferred.push(queue);
    queued.from(labels, queue, ({ size }) => size);
    return queue;
  }

  /** A replica that cannot read what a newer release has written takes no part in the election. */
  start(): void {
    this.started = true;
    if (this.newer.found) return this.resign();
    const { service, messaging, log } = this.options;
    this.election = messaging.elect(service, randomUUID(), leading => {
      this.transition = this.transition
        .then(() => this.change(leading))
        .catch((err: unknown) => log.error({ err }, 'the change of leadership failed'));
    });
  }

  async stop(): Promise<void> {
    await this.election?.close();
    await this.transition;
    await this.follow();
  }

  /** Leaves the leadership to another replica, for good: what this one would build or decide lacks what a newer release has written. */
  private resign(): void {
    if (!this.started) return;
    const ended = [this.transition, this.election?.close(), this.follow()];
    this.transition = Promise.all(ended).then(
      () => undefined,
      (err: unknown) => this.options.log.error({ err }, 'the change of leadership failed'),
    );
  }

  private change(leading: boolean): void | Promise<void> {
    if (this.newer.found) return;
    return leading ? this.lead() : this.follow();
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
