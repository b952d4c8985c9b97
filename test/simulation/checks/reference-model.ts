import {
  clusterStream,
  containerStream,
  nodeGroupStream,
  nodeStream,
  type ClusterState,
  type ContainerState,
  type DomainEvent,
  type NodeGroupState,
  type NodeState,
  type StreamDefinition,
} from '@stave/domain';
import { idOf, splitStream, type RecordedEvent } from '@stave/platform';
import type { EventLog } from '../ports/event-log.js';

/** The states of one kind of resource, folded from the log as it grows. */
class States<S> {
  readonly all = new Map<string, S>();

  constructor(private readonly definition: StreamDefinition<S, never>) {}

  get category(): string {
    return this.definition.category;
  }

  apply(event: RecordedEvent): void {
    const { initial, evolve } = this.definition;
    const fold = evolve as (state: S, event: DomainEvent, time: string) => S;
    const id = idOf(event);
    const known = { type: event.type, data: event.data };
    this.all.set(id, fold(this.all.get(id) ?? initial, known, event.metadata.time));
  }

  get(id: string): S | undefined {
    return this.all.get(id);
  }
}

/** What the log says at this moment, whatever any process knows. */
export class ReferenceModel {
  readonly clusters = new States<ClusterState>(clusterStream);
  readonly groups = new States<NodeGroupState>(nodeGroupStream);
  readonly nodes = new States<NodeState>(nodeStream);
  readonly containers = new States<ContainerState>(containerStream);

  constructor(log: EventLog) {
    const { clusters, groups, nodes, containers } = this;
    const known = [clusters, groups, nodes, containers];
    log.onEvent(event => {
      const { category } = splitStream(event.stream);
      known.find(states => states.category === category)?.apply(event);
    });
  }
}
