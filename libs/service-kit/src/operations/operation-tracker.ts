import { EventEmitter, once } from 'node:events';
import { splitStream, type RecordedEvent, type StoredDocument } from '@stave/platform';
import { omitUndefined, type OperationStart, type OperationStatus } from '@stave/domain';
import { publicDocument } from '../read-models/list-query.js';
import { hiddenMember, withHidden, withPacked } from '../read-models/packed-member.js';
import type { ModelDocument } from '../resources/resource-definition.js';
import type { Folded } from '../snapshots/snapshot-fields.js';
import { isTaskFact, nextStep, type OperationStep } from './operation-step.js';

export interface OperationRef {
  readonly id: string;
  readonly target: { readonly type: string; readonly id: string };
}

export interface OperationRecord extends OperationRef {
  readonly kind: string;
  readonly projectId: string;
  readonly clusterId?: string;
  readonly total: number;
  readonly status: OperationStatus;
  readonly steps: ReadonlyMap<string, OperationStep>;
  readonly done: number;
  readonly error?: { readonly code: string; readonly detail: string };
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly position: number;
}

/** The stored document of an operation that has ended: it does not change any more. */
export type EndedOperation = ModelDocument & { readonly finishedAt: string };

const LISTED_STEPS = 200;
/** The hidden member of the document of an operation that has ended with more steps than are listed in it: all of them. */
const ALL_STEPS = 'steps';

/**
 * The operations of one service, derived from all events that carry their ids; see docs/concepts/operations.md. Running ones are kept with
 * all their steps. Of those that have ended only the documents are kept, until they are dropped.
 */
export class OperationTracker {
  readonly folded: Folded['folded'];
  readonly unfolded = ['records'];
  private readonly records = new Map<string, OperationRecord>();
  /** In the order of their ends. */
  private readonly ended = new Map<string, EndedOperation>();
  /** Emits the id of each operation that ends. */
  private readonly endListeners: ((operation: OperationRecord) => void)[] = [];
  private readonly ends = new EventEmitter().setMaxListeners(0);

  constructor(
    /** The prefix of the ids of this service's operations, for example `c-`. */
    private readonly prefix: string,
    private readonly onChange: (id: string) => void,
  ) {
    const records = { save: () => this.saved(), restore: (saved: unknown) => this.restore(saved) };
    this.folded = { records, ended: this.ended };
  }

  /** Returns an operation that runs. */
  get(id: string): OperationRecord | undefined {
    return this.records.get(id);
  }

  /** Returns the stored document of an operation that runs or was not dropped since its end. */
  document(id: string): ModelDocument | undefined {
    const record = this.records.get(id);
    return record ? storedDocument(record) : this.ended.get(id);
  }

  get runningCount(): number {
    return this.records.size;
  }

  /** Calls the listener with each operation that ends from now on. */
  onEnded(listener: (operation: OperationRecord) => void): void {
    this.endListeners.push(listener);
  }

  /** Returns the ids of the operations that run. */
  running(): Iterable<string> {
    return this.records.keys();
  }

  *positions(): Iterable<readonly [string, number]> {
    for (const [id, { position }] of this.records) yield [id, position];
    for (const [id, { position }] of this.ended) yield [id, position];
  }

  endedOperations(): Iterable<EndedOperation> {
    return this.ended.values();
  }

  /** Keeps an operation that was dropped. */
  keep(operation: EndedOperation): void {
    if (!this.records.has(operation._id)) this.ended.set(operation._id, operation);
  }

  /** Drops the operations that ended first, as long as `isDue`. */
  drop(isDue: (operation: EndedOperation) => boolean): void {
    for (const [id, operation] of this.ended) {
      if (!isDue(operation)) return;
      this.ended.delete(id);
    }
  }

  /** Resolves when the operation has ended, or after the time. */
  async waitForEnd(id: string, timeoutMs: number): Promise<void> {
    if (timeoutMs <= 0 || !this.records.has(id)) return;
    const signal = AbortSignal.timeout(timeoutMs);
    await once(this.ends, id, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  apply(event: RecordedEvent): void {
    // a build reads all events, and in those of the audit this member is a text
    const data = event.data as { readonly operation?: OperationStart | string; readonly operationId?: string };
    const start = typeof data.operation === 'object' ? data.operation : undefined;
    if (start?.id.startsWith(this.prefix) && !this.records.has(start.id) && !this.ended.has(start.id))
      this.begin(start, event);
    if (event.type === 'OperationEnded') return this.end(data.operationId ?? '', event);
    const id = event.metadata.operationId;
    if (id?.startsWith(this.prefix) && isTaskFact(event)) this.step(id, event);
  }

  /** Copies operations, whose steps change in place. */
  private saved(): ReadonlyMap<string, OperationRecord> {
    const copy = (record: OperationRecord): OperationRecord => ({ ...record, steps: new Map(record.steps) });
    return new Map([...this.records].map(([id, record]) => [id, copy(record)]));
  }

  private restore(saved: unknown): void {
    this.records.clear();
    for (const [id, record] of saved as ReadonlyMap<string, OperationRecord>) this.records.set(id, record);
  }

  private begin(start: OperationStart, event: RecordedEvent): void {
    const { category, id } = splitStream(event.stream);
    const { project = '', clusterId, time } = event.metadata;
    this.put({
      id: start.id,
      kind: start.kind,
      target: { type: category, id },
      projectId: project,
      ...omitUndefined({ clusterId }),
      total: start.total,
      status: 'PENDING',
      steps: new Map(),
      done: 0,
      createdAt: time,
      position: event.position,
    });
  }

  private step(id: string, event: RecordedEvent): void {
    const record = this.records.get(id);
    if (!record) return;
    const { taskId } = event.data as { readonly taskId: string };
    const known = record.steps.get(taskId);
    const next = nextStep(known, event);
    const steps = record.steps as Map<string, OperationStep>;
    steps.set(taskId, next);
    const done = record.done + (next.status === 'DONE' && known?.status !== 'DONE' ? 1 : 0);
    const startedAt = record.startedAt ?? event.metadata.time;
    this.put({ ...record, steps, done, status: 'RUNNING', startedAt, position: event.position });
  }

  private end(id: string, event: RecordedEvent): void {
    const record = this.records.get(id);
    // parts of the operation in other streams end there
    if (!record || event.stream !== `${record.target.type}-${record.target.id}`) return;
    const { status, error } = event.data as Pick<OperationRecord, 'status' | 'error'>;
    const { position } = event;
    const finishedAt = event.metadata.time;
    const last = { ...record, status, ...omitUndefined({ error }), finishedAt, position };
    const shown = withPacked(storedDocument(last), 'steps');
    const all = last.steps.size > LISTED_STEPS ? withHidden(shown, ALL_STEPS, [...last.steps.values()]) : shown;
    const document = { ...all, _id: id, position, finishedAt };
    this.records.delete(id);
    this.ended.set(id, Object.freeze(document));
    this.onChange(id);
    for (const listener of this.endListeners) listener(last);
    this.ends.emit(id);
  }

  private put(record: OperationRecord): void {
    this.records.set(record.id, record);
    this.onChange(record.id);
  }
}

const storedDocument = (record: OperationRecord): ModelDocument => {
  const { id, position } = record;
  return { ...operationDocument(record), _id: id, position, deleted: false };
};

/** Returns the operation as clients see it; at most 200 steps are listed, those not done first. */
export function operationDocument(record: OperationRecord): Record<string, unknown> {
  const { steps, total, done, position: _position, ...rest } = record;
  const all = Math.max(total, steps.size);
  const ended = record.status === 'SUCCEEDED';
  const listed = [...steps.values()]
    .sort((a, b) => Number(a.status === 'DONE') - Number(b.status === 'DONE'))
    .slice(0, LISTED_STEPS);
  const shown = ended ? all : done;
  return {
    ...rest,
    name: record.kind,
    progress: { done: shown, total: all, percent: all === 0 ? (ended ? 100 : 0) : Math.floor((100 * shown) / all) },
    steps: listed,
    updatedAt: record.finishedAt ?? record.startedAt ?? record.createdAt,
    revision: 1,
  };
}

/** Returns all steps of an operation that has ended, in the order of their first attempts where it had more than its document lists. */
export function stepsOf(document: StoredDocument): readonly OperationStep[] {
  return (hiddenMember(document, ALL_STEPS) ?? publicDocument(document)['steps']) as readonly OperationStep[];
}
