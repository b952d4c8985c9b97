import { Inject, Injectable } from '@nestjs/common';
import type { DocumentReader } from '@stave/platform';
import { SERVICE_OPTIONS, type ServiceOptions } from '../composition/ports.js';
import { Feed, type HandledEvent } from '../events/feed.js';
import { installationId } from '../events/installation.js';
import { Bookkeeping } from './bookkeeping.js';
import { Projector } from './projector.js';
import { requireAnswer } from './require-answer.js';
import type { ReadModelDefinition } from './read-model.js';
import { SourceLog } from './source-log.js';
import { writeFailures } from './write-lag.js';

/** Milliseconds between two checks that the stored read models still exist. */
const VERIFY_MS = 5_000;

/**
 * The read models of one service: registered before the start, read on every replica. Where replicas share the documents the elected one
 * writes them; documents in this process are written by it, elected or not.
 */
@Injectable()
export class ReadModels {
  private readonly definitions: ReadModelDefinition[] = [];
  private opened: Projector | undefined;
  private source: SourceLog | undefined;
  /** Position of the last event that was in the log when the service started. */
  private startPosition = -1;
  private verifyTimer: NodeJS.Timeout | undefined;
  private isElected = false;
  private isClosed = false;

  constructor(
    @Inject(SERVICE_OPTIONS)
    private readonly options: Pick<ServiceOptions, 'service' | 'documentStore' | 'log' | 'worksFrom'>,
    private readonly feed: Feed,
  ) {}

  add(definition: ReadModelDefinition): void {
    this.definitions.push(definition);
  }

  /** Reports that the document of this id changed; the leader writes it with the next flush. */
  mark(name: string, id: string): void {
    this.opened?.mark(name, id);
  }

  /** As `mark`, for a resource that this process has changed by an event at `position`: lists show it before the feed delivers that event. */
  touch(name: string, id: string, position: number): void {
    this.opened?.touch(name, id, position);
  }

  /** Throws when the service is not started. */
  get projector(): Projector {
    if (!this.opened) throw new Error('the service is not started');
    return this.opened;
  }

  /** Whether `open` has opened the store: before that there is nothing to ask. */
  get isOpen(): boolean {
    return this.opened !== undefined;
  }

  isBuilding(name: string): boolean {
    return this.projector.isBuilding(name);
  }

  collection(name: string): DocumentReader {
    return this.projector.collection(name);
  }

  /** Opens the store and from then on writes what the feed has handled. Call before the feed starts. */
  async open(): Promise<void> {
    const { documentStore, log, service } = this.options;
    const source = new SourceLog(await installationId(this.feed.store), this.feed.stored);
    this.source = source;
    this.feed.onEvery(event => source.note(event));
    const projector = new Projector(documentStore, this.definitions, await Bookkeeping.open(documentStore, source), {
      service,
      // no other process writes late
      ...(documentStore.isLocal && { tombstoneMs: 0, expiryMs: 0 }),
      onError: err => {
        writeFailures({ service });
        log.error({ err }, 'writing the read models failed; it is retried');
      },
      onForeign: () =>
        log.warn(
          'the stored read models are of another log, or of events that this log does not have; they are built again',
        ),
    });
    this.opened = projector;
    this.feed.onBatch(position => projector.advance(position));
  }

  /** The id of the installation whose log the read models are made from. */
  get installation(): string {
    if (!this.source) throw new Error('the service is not started');
    return this.source.identity;
  }

  /**
   * Nothing beyond this position has been forgotten because documents show it. A store in this process is empty at each start, and is
   * filled with what is in memory.
   */
  get forgottenUpTo(): number {
    return this.options.documentStore.isLocal ? -1 : this.projector.positions.seenUpTo;
  }

  /** Continues after the last event that an earlier process has handled. */
  resume(last: HandledEvent): void {
    this.source?.note(last);
  }

  /** Call when the feed has handled everything that was in the log at the start. */
  replayed(): void {
    this.startPosition = this.feed.lastEvent;
    this.projector.advance(this.feed.position);
    if (this.areLocal) void (this.options.worksFrom ?? Promise.resolve()).then(() => this.write());
  }

  /**
   * Resolves to true when the read model, without a name every one, includes everything up to `position` within the time. Documents in this process are empty at the
   * start, so they must include everything that was in the log then, too; stored ones are served as far as they are.
   */
  async includes(position: number, timeoutMs: number, name?: string): Promise<boolean> {
    const { projector, feed } = this;
    const wanted = this.areLocal ? Math.max(position, this.startPosition) : position;
    if (projector.includes(wanted, name)) return true;
    const handled = await feed.waitFor(wanted, timeoutMs);
    // the position of the writer stays behind events of streams that the feed does not follow
    return handled && projector.waitFor(Math.min(wanted, feed.lastEvent), timeoutMs, name);
  }

  /** Throws DocumentStoreUnavailableError where the document store does not answer within the time. */
  requireStore(timeoutMs: number): Promise<void> {
    return requireAnswer(this.options.documentStore, timeoutMs);
  }

  /** Resolves to the position up to which the stored documents show what happened, whoever wrote them. */
  shownUpTo(): Promise<number> {
    return this.projector.shownUpTo();
  }

  /** Whether only this process reads and writes them. */
  get areLocal(): boolean {
    return this.options.documentStore.isLocal === true;
  }

  /** Whether this replica decides for all what is settled: it is elected, and knows what it writes. */
  get decides(): boolean {
    return this.isElected && this.projector.isWriting;
  }

  start(): void {
    this.isElected = true;
    this.write();
  }

  stop(): Promise<void> {
    this.isElected = false;
    if (this.areLocal) return Promise.resolve();
    clearInterval(this.verifyTimer);
    this.opened?.follow();
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.verifyTimer);
    await this.opened?.close();
  }

  /** Writes the read models from now on. */
  private write(): void {
    if (this.isClosed) return;
    const { log } = this.options;
    this.projector.lead();
    clearInterval(this.verifyTimer);
    this.verifyTimer = setInterval(() => {
      this.projector.verify().catch((err: unknown) => log.warn({ err }, 'could not check the stored read models'));
    }, VERIFY_MS).unref();
  }
}
