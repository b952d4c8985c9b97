import { EventEmitter, once } from 'node:events';
import { idOf, splitStream, type RecordedEvent } from '@stave/platform';
import { omitUndefined, type OperationStart, type OperationStatus } from '@stave/domain';
import { listIndexes } from '../read-models/listed-document.js';
import type { ReadModelDefinition } from '../read-models/read-model.js';

export interface OperationStep {
  readonly name: string;
  /** `PENDING`: its conductor released it, and no conductor has claimed it again. */
  readonly status: 'PENDING' | 'RUNNING' | 'RETRYING' | 'DONE' | 'FAILED';
  readonly attempts: number;
  readonly step?: string;
  readonly lastError?: string;
}

export interface OperationRecord {
  readonly id: string;
  readonly kind: string;
  readonly target: { readonly type: string; readonly id: string };
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

export const operationsReadModel = (tracker: OperationTracker): ReadModelDefinition => ({
  name: 'operations',
  indexes: listIndexes({ indexedSorts: [], indexedFilters: ['status', 'target.id', 'clusterId'] }),
  all: () => tracker.positions(),
  document: id => {
    const record = tracker.get(id);
    return record && { ...operationDocument(record), _id: id, position: record.position, deleted: false };
  },
});

const LISTED_STEPS = 200;
const taskFacts = new Set(['TaskClaimed', 'TaskProgressed', 'TaskCompleted', 'TaskFailed', 'TaskReleased']);

interface TaskFact {
  readonly taskId: string;
  readonly kind?: string;
  readonly attempt: number;
  readonly step?: string;
  readonly message?: string;
  readonly retryAt?: string;
}

/** The operations of one service, derived from all events that carry their ids; see docs/concepts/operations.md. */
export class OperationTracker {
  readonly folded = { records: { save: () => this.saved(), restore: (saved: unknown) => this.restore(saved) } };
  readonly unfolded = ['records'];
  private readonly records = new Map<string, OperationRecord>();
  /** Emits the id of each operation that ends. */
  private readonly ended = new EventEmitter().setMaxListeners(0);

  constructor(
    /** The prefix of the ids of this service's operations, for example `c-`. */
    private readonly prefix: string,
    private readonly onChange: (id: string) => void,
  ) {}

  get(id: string): OperationRecord | undefined {
    return this.records.get(id);
  }

  *positions(): Iterable<readonly [string, number]> {
    for (const [id, record] of this.records) yield [id, record.position];
  }

  /** Resolves when the operation has ended, or after the time. */
  async waitForEnd(id: string, timeoutMs: number): Promise<void> {
    if (timeoutMs <= 0 || !this.running(id)) return;
    const signal = AbortSignal.timeout(timeoutMs);
    await once(this.ended, id, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  apply(event: RecordedEvent): void {
    const data = event.data as { readonly operation?: OperationStart; readonly operationId?: string };
    const start = data.operation;
    if (start?.id.startsWith(this.prefix) && !this.records.has(start.id)) this.begin(start, event);
    if (event.type === 'OperationEnded') return this.end(data.operationId ?? '', event);
    const id = event.metadata.operationId;
    if (id?.startsWith(this.prefix) && taskFacts.has(event.type)) this.step(id, event);
  }

  /** Copies running operations, whose steps change in place. */
  private saved(): ReadonlyMap<string, OperationRecord> {
    const copy = (record: OperationRecord): OperationRecord =>
      record.finishedAt === undefined ? { ...record, steps: new Map(record.steps) } : record;
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
    const record = this.running(id);
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
    const record = this.running(id);
    // parts of the operation in other streams end there
    if (!record || event.stream !== `${record.target.type}-${record.target.id}`) return;
    const { status, error } = event.data as Pick<OperationRecord, 'status' | 'error'>;
    const { metadata, position } = event;
    this.put({ ...record, status, ...omitUndefined({ error }), finishedAt: metadata.time, position });
    this.ended.emit(id);
  }

  private running(id: string): OperationRecord | undefined {
    const record = this.records.get(id);
    return record?.finishedAt === undefined ? record : undefined;
  }

  private put(record: OperationRecord): void {
    this.records.set(record.id, record);
    this.onChange(record.id);
  }
}

function nextStep(known: OperationStep | undefined, fact: TaskFact, event: RecordedEvent): OperationStep {
  const name = known?.name ?? `${fact.kind ?? 'task'} ${idOf(event)}`;
  const attempts = Math.max(known?.attempts ?? 0, fact.attempt);
  const lastError = fact.message ?? known?.lastError;
  const step = event.type === 'TaskProgressed' ? fact.step : undefined;
  return { name, attempts, status: statusAfter(event.type, fact), ...omitUndefined({ lastError, step }) };
}

function statusAfter(type: string, { retryAt }: TaskFact): OperationStep['status'] {
  if (type === 'TaskFailed') return retryAt ? 'RETRYING' : 'FAILED';
  if (type === 'TaskCompleted') return 'DONE';
  return type === 'TaskReleased' ? 'PENDING' : 'RUNNING';
}

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
