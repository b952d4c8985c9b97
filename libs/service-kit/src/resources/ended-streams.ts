import { Inject, Injectable } from '@nestjs/common';
import { settledSubject } from '@stave/contracts';
import { getOrCreate } from '@stave/domain';
import type { MessageSubscription } from '@stave/platform';
import { SERVICE_OPTIONS, type ServiceOptions } from '../composition/ports.js';
import { Feed } from '../events/feed.js';
import { ReadModels } from '../read-models/read-models.js';
import type { ReconcileQueue } from '../reconcile/reconcile-queue.js';
import type { ResourceModel } from './resource-model.js';

/** When the streams of one category that have ended leave the memory of a projection. */
export interface Retention {
  readonly category: string;
  readonly ended: () => ReadonlySet<string>;
  /** Returns the position of the last event of the stream that was folded. */
  readonly position: (id: string) => number;
  /** Whether nothing in the projection depends on the resource any more. */
  readonly isDone: (id: string) => boolean;
  readonly forget: (id: string) => void;
}

interface RetentionRules<S> {
  /** Whether nothing in the projection depends on the resource any more; default: always. */
  readonly isDone?: (id: string, state: S | undefined) => boolean;
  /** Removes what the projection keeps for the resource beside its model. */
  readonly forget?: (id: string, state: S | undefined) => void;
}

export const retention = <S>(model: ResourceModel<S>, { isDone, forget }: RetentionRules<S> = {}): Retention => ({
  category: model.category,
  ended: () => model.ended,
  position: id => model.entry(id)?.position ?? -1,
  isDone: id => isDone?.(id, model.get(id)) ?? true,
  forget: id => {
    const state = model.get(id);
    model.forget(id);
    forget?.(id, state);
  },
});

/** Up to `position` everything that ended in the log of this installation is settled. */
interface Settled {
  readonly installation: string;
  readonly position: number;
}

const SWEEP_MS = 1_000;
/** Ended streams in memory from which on a replay forgets what it can. */
const MOST_DURING_REPLAY = 2_000;

/**
 * Removes streams that have ended from the memory of a service, so that it holds what lives and not what ever lived. The replica that leads
 * keeps a stream until the read models show its end, nothing is to be done for it, and nothing that lives depends on it. It stores how far
 * it came, or says so where replicas do not share documents, and the others follow: one that takes over knows every stream for which
 * something may be left to do.
 */
@Injectable()
export class EndedStreams {
  private readonly retentions: Retention[] = [];
  /** By category. */
  private readonly queues = new Map<string, ReconcileQueue[]>();
  private timer: NodeJS.Timeout | undefined;
  private looking = false;
  private subscription: MessageSubscription | undefined;
  /** The highest position up to which the leader has said that everything is settled. */
  private heard = -1;

  constructor(
    @Inject(SERVICE_OPTIONS) private readonly options: Pick<ServiceOptions, 'log' | 'service' | 'messaging'>,
    /** The feed whose streams these are. */
    readonly feed: Feed,
    private readonly readModels: ReadModels,
  ) {
    feed.onBatch(() => this.afterBatch());
  }

  add(retentions: readonly Retention[]): void {
    this.retentions.push(...retentions);
  }

  /** Keeps the streams of the category as long as the queue has work for them. */
  addQueue(category: string, queue: ReconcileQueue): void {
    getOrCreate(this.queues, category, () => []).push(queue);
  }

  start(): void {
    const { messaging, service } = this.options;
    if (this.readModels.areLocal)
      this.subscription = messaging.subscribe(settledSubject(service), payload => this.hear(payload));
    this.timer = setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.subscription?.close();
  }

  /** Forgets what can be forgotten. */
  async sweep(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    try {
      if (this.readModels.decides) await this.settle();
      else if (this.count > 0) this.forget(await this.settledByLeader());
    } catch (err) {
      this.options.log.warn({ err }, 'what has ended could not be removed from memory; it is tried again');
    } finally {
      this.looking = false;
    }
  }

  private async settle(): Promise<void> {
    const { projector, areLocal, installation } = this.readModels;
    const { position } = projector;
    const before = this.count;
    if (before > 0) this.forget(position);
    const settled = this.settledUpTo(position);
    const { messaging, service } = this.options;
    if (areLocal) messaging.publish(settledSubject(service), { installation, position: settled } satisfies Settled);
    else if (this.count < before) await projector.positions.put('settled', settled);
  }

  private settledByLeader(): number | Promise<number> {
    const { projector, areLocal } = this.readModels;
    return areLocal ? Math.min(this.heard, projector.position) : projector.positions.get('settled');
  }

  private hear(payload: unknown): void {
    const { installation, position }: Partial<Record<keyof Settled, unknown>> = Object(payload);
    if (installation === this.readModels.installation && typeof position === 'number')
      this.heard = Math.max(this.heard, position);
  }

  private forget(upTo: number): void {
    for (const retention of this.retentions)
      for (const id of retention.ended()) if (this.mayLeave(retention, id, upTo)) retention.forget(id);
  }

  /** Returns the position before the end of the first stream that is still kept. */
  private settledUpTo(position: number): number {
    let upTo = position;
    for (const retention of this.retentions)
      for (const id of retention.ended()) upTo = Math.min(upTo, retention.position(id) - 1);
    return upTo;
  }

  private get count(): number {
    return this.retentions.reduce((sum, { ended }) => sum + ended().size, 0);
  }

  private afterBatch(): void {
    if (this.feed.replaying && this.count > MOST_DURING_REPLAY) void this.sweep();
  }

  private mayLeave({ category, position, isDone }: Retention, id: string, upTo: number): boolean {
    if (position(id) > upTo || !isDone(id)) return false;
    return (this.queues.get(category) ?? []).every(queue => queue.release(id));
  }
}
