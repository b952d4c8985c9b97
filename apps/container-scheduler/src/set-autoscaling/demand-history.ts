import { Inject, Injectable } from '@nestjs/common';
import { getOrCreate, isAutoscaled, type DemandSample } from '@stave/domain';
import type { DocumentCollection } from '@stave/platform';
import { LeaderTasks, SERVICE_OPTIONS, type LeaderTask, type ServiceOptions } from '@stave/service-kit';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import {
  demandDocumentId,
  hourOf,
  instantsIn,
  meanInstant,
  withInstants,
  type DemandDocument,
} from './demand-document.js';
import { SetAutoscaler } from './set-autoscaler.js';

const COLLECTION = 'containerSetDemand';
const MINUTE_MS = 60_000;
/** Instants that could not be stored are kept for this time, also by replicas that are not elected. */
const BUFFERED_MS = 5 * MINUTE_MS;
const KEPT_HOURS = 24;
const SETS_AT_ONCE = 200;
const EXPIRED_AT_ONCE = 500;

/** The demand of a set as it was stored, and when processes began to evaluate it. */
export interface StoredDemand {
  readonly demand: readonly DemandSample[];
  readonly begins: readonly number[];
}

/**
 * Stores the demand of container sets for a day, each minute: each instant of sets that follow their load, and the mean of the minute of others. It is
 * telemetry, in no event and in no read model. The elected replica writes.
 */
@Injectable()
export class DemandHistory implements LeaderTask {
  private readonly buffered = new Map<string, DemandSample[]>();
  private prunedAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    @Inject(SERVICE_OPTIONS) private readonly options: Pick<ServiceOptions, 'documentStore' | 'log'>,
    private readonly projection: SchedulerProjection,
    private readonly autoscaler: SetAutoscaler,
    tasks: LeaderTasks,
  ) {
    projection.demands.onInstant((setId, instant) => this.buffer(setId, instant));
    tasks.add(this);
  }

  start(): void {
    this.timer = setTimeout(
      () => {
        this.start();
        this.writing = this.write(Date.now()).catch((err: unknown) =>
          this.options.log.warn(
            { err },
            'the demand of container sets was not stored; it is stored with the next minute',
          ),
        );
      },
      MINUTE_MS - (Date.now() % MINUTE_MS),
    ).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.writing;
  }

  /** Returns what is known of the demand of a set in a time, with what is not stored yet. Throws DocumentStoreUnavailableError. */
  async between(setId: string, fromMs: number, toMs: number): Promise<StoredDemand> {
    const hours = Array.from({ length: hourOf(toMs) - hourOf(fromMs) + 1 }, (_, i) => hourOf(fromMs) + i);
    const collection = await this.collection();
    const found = (await collection.getMany(
      hours.map(hour => demandDocumentId(setId, hour)),
    )) as readonly DemandDocument[];
    const documents = [...found].sort((a, b) => a.hour - b.hour);
    const stored = documents.flatMap(instantsIn);
    const last = stored.at(-1)?.at ?? -Infinity;
    const fresh = (this.buffered.get(setId) ?? []).filter(({ at }) => at > last);
    const since = this.autoscaler.evaluatedSince(setId);
    const begins = new Set([...documents.flatMap(({ begins }) => begins), ...(since === undefined ? [] : [since])]);
    return {
      demand: [...stored, ...fresh].filter(({ at }) => at >= fromMs && at <= toMs),
      begins: [...begins].filter(at => at >= fromMs && at <= toMs).sort((a, b) => a - b),
    };
  }

  /** Stores what is not stored yet, and removes what is older than a day. */
  async write(nowMs: number): Promise<void> {
    const collection = await this.collection();
    const pending = [...this.buffered];
    for (let i = 0; i < pending.length; i += SETS_AT_ONCE)
      await this.writeSome(collection, pending.slice(i, i + SETS_AT_ONCE));
    const expired = await collection.find({ hour: { $lt: hourOf(nowMs) - KEPT_HOURS } }, { limit: EXPIRED_AT_ONCE });
    await collection.write(expired.map(({ _id }) => ({ remove: _id })));
  }

  private async writeSome(
    collection: DocumentCollection,
    pending: readonly (readonly [setId: string, instants: readonly DemandSample[]])[],
  ): Promise<void> {
    const parts = pending.flatMap(([setId, all]) => {
      const instants = this.kept(setId, all);
      return [...new Set(instants.map(({ at }) => hourOf(at)))].map(hour => ({ setId, hour, instants }));
    });
    const before = await collection.getMany(parts.map(({ setId, hour }) => demandDocumentId(setId, hour)));
    const known = new Map(before.map(document => [document._id, document as DemandDocument]));
    const writes = parts.map(({ setId, hour, instants }) => {
      const since = this.autoscaler.evaluatedSince(setId);
      const begin = since !== undefined && hourOf(since) === hour ? since : undefined;
      return { replace: withInstants(known.get(demandDocumentId(setId, hour)), { setId, hour }, instants, begin) };
    });
    await collection.write(writes);
    for (const [setId, stored] of pending) this.release(setId, stored.at(-1)?.at ?? -Infinity);
  }

  private kept(setId: string, instants: readonly DemandSample[]): readonly DemandSample[] {
    const set = this.projection.sets.get(setId);
    if (set && isAutoscaled(set.spec)) return instants;
    const mean = meanInstant(instants);
    return mean ? [mean] : [];
  }

  private buffer(setId: string, instant: DemandSample): void {
    const instants = getOrCreate(this.buffered, setId, (): DemandSample[] => []);
    instants.push(instant);
    while ((instants[0]?.at ?? Infinity) < instant.at - BUFFERED_MS) instants.shift();
    if (instant.at - this.prunedAt > BUFFERED_MS) this.prune(instant.at);
  }

  /** Drops sets without members: a replica that is not elected stores nothing, and so releases nothing. */
  private prune(nowMs: number): void {
    this.prunedAt = nowMs;
    for (const [setId, instants] of this.buffered)
      if ((instants.at(-1)?.at ?? 0) < nowMs - BUFFERED_MS) this.buffered.delete(setId);
  }

  private release(setId: string, upTo: number): void {
    const left = (this.buffered.get(setId) ?? []).filter(({ at }) => at > upTo);
    if (left.length > 0) this.buffered.set(setId, left);
    else this.buffered.delete(setId);
  }

  private collection(): Promise<DocumentCollection> {
    return this.options.documentStore.collection(COLLECTION, ['hour']);
  }
}
