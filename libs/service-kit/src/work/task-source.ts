import type { Decision, ReportCommand, TaskEvent, Work, DomainEvent } from '@stave/domain';
import type { DriverTask, TaskKindOf, UnitKind } from '@stave/driver-sdk';
import type { EventContext } from '../resources/new-events.js';
import type { ResourceModel } from '../resources/resource-model.js';

/** Which conductors can do a resource's work. */
export interface TaskRouting {
  readonly group: string;
  readonly driver: string;
  /** The driver version recorded in the cluster. */
  readonly version: string;
}

/**
 * How one resource type takes part in the hand-out of tasks. `task`, `report` and `timeoutMs` are methods, so that the sources of all
 * types fit where the type does not matter; the task board passes each of them the kinds of its own type only.
 */
export interface TaskSource<S, R extends UnitKind = UnitKind> {
  readonly type: R;
  readonly model: ResourceModel<S>;
  readonly work: (state: S) => Work<TaskKindOf<R>>;
  /** undefined while its work cannot start yet (its cluster is not built ...). */
  readonly place: (id: string, state: S) => TaskRouting | undefined;
  readonly clusterId: (state: S) => string;
  /** Returns the task of this kind with its specification for the driver; undefined when the resource lacks what it needs. */
  task(kind: TaskKindOf<R>, state: S): DriverTask | undefined;
  report(command: ReportCommand<TaskKindOf<R>>, state: S): Decision<DomainEvent | TaskEvent>;
  readonly context: (state: S) => EventContext;
  timeoutMs(kind: TaskKindOf<R>): number;
}
