import {
  RING_STREAM,
  RingView,
  clusterGroupsStream,
  clusterStream,
  nodeGroupStream,
  nodeStream,
  type ClusterGroupsState,
  type ClusterState,
  type NodeGroupState,
  type NodeState,
  type RingEvent,
  type StreamDefinition,
} from '@stave/domain';
import type { Network } from '../kernel/network.js';
import type { Process } from '../kernel/process.js';
import type { EventLog, Recorded } from '../world/event-log.js';
import { Model, type Fold } from './model.js';
import { rememberedTable } from './remembered-tables.js';

const foldOf = <S>(stream: StreamDefinition<S>): Fold<S> => ({
  category: stream.category,
  initial: stream.initial,
  evolve: (state, { event, time }) => stream.evolve(state, event, time),
});
export const clusterFold: Fold<ClusterState> = foldOf(clusterStream);
export const registryFold: Fold<ClusterGroupsState> = foldOf(clusterGroupsStream);
export const groupFold: Fold<NodeGroupState> = foldOf(nodeGroupStream);
export const nodeFold: Fold<NodeState> = foldOf(nodeStream);

/** All that a replica knows. Lost when it is killed, read again from the log. */
export class Models {
  readonly clusters: Model<ClusterState>;
  readonly registry: Model<ClusterGroupsState>;
  readonly groups: Model<NodeGroupState>;
  readonly nodes: Model<NodeState>;
  readonly ring = new RingView(rememberedTable);
  position = -1;

  constructor(
    host: Process,
    network: Network,
    private readonly log: EventLog,
  ) {
    this.clusters = new Model(host, network, log, clusterFold);
    this.registry = new Model(host, network, log, registryFold);
    this.groups = new Model(host, network, log, groupFold);
    this.nodes = new Model(host, network, log, nodeFold);
  }

  /** Takes in what the feed brought; says what changed. */
  catchUp(changed: (category: string, id: string) => void): void {
    for (let next = this.log.all[this.position + 1]; next; next = this.log.all[this.position + 1]) {
      this.apply(next);
      this.position = next.position;
      const dash = next.stream.indexOf('-');
      changed(dash < 0 ? next.stream : next.stream.slice(0, dash), next.stream.slice(dash + 1));
    }
  }

  refreshRing(): RingView {
    const known = this.log.read(RING_STREAM);
    for (let next = known[this.ring.epoch + 1]; next; next = known[this.ring.epoch + 1])
      this.ring.apply(next.event as RingEvent, next.revision);
    return this.ring;
  }

  isReady(id: string): boolean {
    const node = this.nodes.get(id);
    return !!node?.wasActive && !node.removing && node.status !== 'FAILED' && node.status !== 'UNREACHABLE';
  }

  private apply(recorded: Recorded): void {
    const { stream } = recorded;
    if (stream === RING_STREAM) this.ring.apply(recorded.event as RingEvent, recorded.revision);
    else if (stream.startsWith('node-')) this.nodes.apply(recorded);
    else if (stream.startsWith('nodeGroup-')) this.groups.apply(recorded);
    else if (stream.startsWith('clusterGroups-')) this.registry.apply(recorded);
    else this.clusters.apply(recorded);
  }
}
