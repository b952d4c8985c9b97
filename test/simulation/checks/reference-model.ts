import {
  clusterStream,
  containerStream,
  nodeGroupStream,
  nodeStream,
  type ClusterState,
  type ContainerState,
  type NodeGroupState,
  type NodeState,
  type ResourceStream,
} from '@stave/domain';
import { idOf, splitStream, type RecordedEvent } from '@stave/platform';
import type { EventLog } from '../ports/event-log.js';

/** The states of one resource type, folded from the log on every append. */
class States<S> {
  readonly all = new Map<string, S>();

  constructor(private readonly definition: ResourceStream<S, never>) {}

  get category(): string {
    return this.definition.category;
  }

  apply(event: RecordedEvent): void {
    const evolve = this.definition.evolve as ResourceStream<S>['evolve'];
    const id = idOf(event);
    const state = evolve(this.all.get(id), { type: event.type, data: event.data }, event.metadata.time);
    if (state !== undefined) this.all.set(id, state);
  }

  get(id: string): S | undefined {
    return this.all.get(id);
  }
}

/** The current states by the log, whatever any process knows. */
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
