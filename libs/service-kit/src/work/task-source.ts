import type { Decision, ReportCommand, TaskEvent, Work, DomainEvent } from '@stave/domain';
import type { TaskKind, TaskResourceType } from '@stave/contracts';
import type { EventContext } from '../resources/new-events.js';
import type { ResourceModel } from '../resources/resource-model.js';

/** Which conductors can do a resource's work. */
export interface TaskRouting {
  readonly group: string;
  readonly driver: string;
  /** The driver version recorded in the cluster. */
  readonly version: string;
}

/** How one resource type takes part in the hand-out of tasks. */
export interface TaskSource<S> {
  readonly type: TaskResourceType;
  readonly model: ResourceModel<S>;
  readonly work: (state: S) => Work;
  /** undefined while its work cannot start yet (its cluster is not built ...). */
  readonly place: (id: string, state: S) => TaskRouting | undefined;
  readonly clusterId: (state: S) => string;
  /** The spec that the driver gets for the wanted task. */
  readonly spec: (id: string, state: S) => Readonly<Record<string, unknown>>;
  readonly report: (command: ReportCommand, state: S) => Decision<DomainEvent | TaskEvent>;
  readonly context: (state: S) => EventContext;
  readonly timeoutMs: (kind: TaskKind) => number;
}
