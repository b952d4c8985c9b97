import { EventEmitter, once } from 'node:events';
import { idOf, splitStream, type RecordedEvent } from '@stave/platform';
import { failureCodeOf, omitUndefined, type OperationStart, type OperationStatus } from '@stave/domain';
import type { FailureClass } from '@stave/driver-sdk';
import { withPacked } from '../read-models/packed-member.js';
import type { ModelDocument } from '../resources/resource-definition.js';
import type { Folded } from '../snapshots/snapshot-fields.js';

export interface OperationStep {
  readonly name: string;
  /** `PENDING`: its conductor released it, and no conductor has claimed it again. */
  readonly status: 'PENDING' | 'RUNNING' | 'RETRYING' | 'DONE' | 'FAILED';
  readonly attempts: number;
  readonly step?: string;
  readonly lastError?: string;
  /** The code of that error; absent where it was seen by a release without codes. */
  readonly lastErrorCode?: string;
}

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
const taskFacts = new Set(['TaskClaimed', 'TaskProgressed', 'TaskCompleted', 'TaskFailed', 'TaskReleased']);

interface TaskFact {
  readonly taskId: string;
  readonly kind?: string;
  readonly attempt: number;
  readonly step?: string;
  readonly message?: string;
  readonly failure?: FailureClass;
  readonly code?: string;
  readonly retryAt?: string;
}

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
    const data = event.data as { readonly operation?: OperationStart; readonly operationId?: string };
    const start = data.operation;
    if (start?.id.startsWith(this.prefix) && !this.records.has(start.id) && !this.ended.has(start.id))
      this.begin(start, event);
    if (event.type === 'OperationEnded') return this.end(data.operationId ?? '', event);
    const id = event.metadata.operationId;
    if (id?.startsWith(this.prefix) && taskFacts.has(event.type)) this.step(id, event);
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
    const fact = event.data as TaskFact;
    const known = record.steps.get(fact.taskId);
    const next = nextStep(known, fact, event);
    const steps = record.steps as Map<string, OperationStep>;
    steps.set(fact.taskId, next);
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
    const document = { ...withPacked(storedDocument(last), 'steps'), _id: id, position, finishedAt };
    this.records.delete(id);
    this.ended.set(id, Object.freeze(document));
    this.onChange(id);
    this.ends.emit(id);
  }

  private put(record: OperationRecord): void {
    this.records.set(record.id, record);
    this.onChange(record.id);
  }
}

function nextStep(known: OperationStep | undefined, fact: TaskFact, event: RecordedEvent): OperationStep {
  const name = known?.name ?? `${fact.kind ?? 'task'} ${idOf(event)}`;
  const attempts = Math.max(known?.attempts ?? 0, fact.attempt);
  const { message, failure, code } = fact;
  const lastError = message ?? known?.lastError;
  const lastErrorCode = failure === undefined ? known?.lastErrorCode : failureCodeOf(failure, code);
  const step = event.type === 'TaskProgressed' ? fact.step : undefined;
  return {
    name,
    attempts,
    status: statusAfter(event.type, fact),
    ...omitUndefined({ lastError, lastErrorCode, step }),
  };
}

function statusAfter(type: string, { retryAt }: TaskFact): OperationStep['status'] {
  if (type === 'TaskFailed') return retryAt ? 'RETRYING' : 'FAILED';
  if (type === 'TaskCompleted') return 'DONE';
  return type === 'TaskReleased' ? 'PENDING' : 'RUNNING';
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
