import type { ExpectedRequest } from '@stave/contracts';
import type { Decision, DomainEvent, ReportCommand, RingView, TaskEvent, Work } from '@stave/domain';
import type { DriverTask, TaskKindOf, TaskResource } from '@stave/driver-sdk';
import type { EventContext } from '../resources/new-events.js';
import type { ResourceModel } from '../resources/resource-model.js';

/** The conductors that can do the work of a resource. */
export interface TaskRouting {
  readonly group: string;
  readonly driver: string;
  /** The driver version that is recorded in the cluster. */
  readonly version: string;
}

/**
 * The tasks of one resource type. `task`, `report` and `timeoutMs` are methods, so that the sources of all types are assignable where the
 * type does not matter; the task board passes each of them the kinds of its own type only.
 */
export interface TaskSource<S, R extends TaskResource = TaskResource> {
  readonly type: R;
  readonly model: ResourceModel<S>;
  readonly work: (state: S) => Work<TaskKindOf<R>>;
  /** Returns undefined while the work cannot start, for example because the cluster is not built. */
  readonly routing: (id: string, state: S) => TaskRouting | undefined;
  readonly clusterId: (state: S) => string;
  /** Returns the task of this kind with its specification for the driver; undefined when the resource lacks what it needs. */
  task(kind: TaskKindOf<R>, state: S): DriverTask | undefined;
  report(command: ReportCommand<TaskKindOf<R>>, state: S): Decision<DomainEvent | TaskEvent>;
  readonly context: (state: S) => EventContext;
  timeoutMs(kind: TaskKindOf<R>, state: S): number;
}

/** Returns whether the conductor holds and owns the slot of the resource. */
export function isHeldBy(
  { conductor, holdings }: Pick<ExpectedRequest, 'conductor' | 'holdings'>,
  id: string,
  routing: TaskRouting | undefined,
  view: RingView,
): boolean {
  if (!routing) return false;
  const { version } = routing;
  const key = view.keyFor(routing.group, routing.driver);
  return holdings.some(h => h.key === key && h.version === version) && view.ownerOf(key, version, id) === conductor;
}
