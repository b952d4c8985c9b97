import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { commandSubject, RefusedError } from '@stave/contracts';
import {
  memberView,
  takenNodes,
  type DomainEvent,
  type NodeGroupEvent,
  type NodeGroupState,
  type NodeState,
  type TakenNode,
} from '@stave/domain';
import type { Messaging } from '@stave/platform';
import {
  askService,
  holdsVolumes,
  MESSAGING,
  operatingManifest,
  RingFollower,
  SERVICE_OPTIONS,
  type Entry,
  type EventContext,
  type ServiceOptions,
} from '@stave/service-kit';
import { FleetProjection } from './fleet.projection.js';

/** Who is asked. */
const KEEPER = 'container-scheduler, which knows the data on nodes,';

/** Nodes have the only data of volumes that are to be retained. */
export class NodesHoldVolumes extends RefusedError {
  constructor(
    readonly nodeIds: readonly string[],
    volumes: readonly string[],
  ) {
    super(holdsVolumes(volumes).error);
  }
}

/** Returns what notes the nodes that hold volumes, so that the next decision passes over them; it throws every other error. */
export const noteHeld =
  (held: Set<string>) =>
  (error: unknown): { readonly position: number } => {
    const isNew = error instanceof NodesHoldVolumes && error.nodeIds.some(id => !held.has(id));
    if (!isNew) throw error;
    for (const id of error.nodeIds) held.add(id);
    return { position: -1 };
  };

interface Closing {
  readonly clusterId: string;
  readonly stream: string;
  readonly after: number;
  readonly nodes: readonly TakenNode[];
  readonly reason: string;
}

/**
 * Has nodes closed in the ledger of their cluster before their removal or rebuild is appended, so that no data is bound to them after the look
 * at what they have. Whoever decides that a node goes, command or reconciler, appends to the stream of its group, or to its own.
 */
@Injectable()
export class NodeClosings implements OnModuleInit {
  constructor(
    private readonly projection: FleetProjection,
    private readonly ring: RingFollower,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(SERVICE_OPTIONS) private readonly options: Pick<ServiceOptions, 'service'>,
  ) {}

  onModuleInit(): void {
    const { groups, nodes } = this.projection;
    groups.guard = { before: (id, entry, events, context) => this.beforeGroup(id, entry, events, context) };
    nodes.guard = { before: (id, entry, events, context) => this.beforeNode(id, entry, events, context) };
  }

  /** Throws NodesHoldVolumes where nodes have data that nobody allowed to discard, and RefusedError `dependency-unavailable`. */
  private async beforeGroup(
    id: string,
    { state, streamRevision: after }: Entry<NodeGroupState>,
    events: readonly DomainEvent[],
    context: EventContext,
  ): Promise<void> {
    // the events are of a node group's stream
    const nodes = takenNodes(state, events as readonly NodeGroupEvent[]).map(({ nodeId, discards }) => ({
      nodeId,
      discards: discards || this.isGone(state, nodeId),
    }));
    const { clusterId } = state.declared;
    const rebuilds = events.some(({ type }) => type === 'RolloutBatchAccepted' || type === 'NodesRepaired');
    const reason = rebuilds ? 'to be rebuilt' : 'to be removed';
    await this.close({ clusterId, stream: this.projection.groups.stream(id), after, nodes, reason }, context);
  }

  private async beforeNode(
    id: string,
    { state, streamRevision: after }: Entry<NodeState>,
    events: readonly DomainEvent[],
    context: EventContext,
  ): Promise<void> {
    const requested = events.find(({ type }) => type === 'NodeRebuildRequested');
    if (!requested) return;
    const { operation } = requested.data as { readonly operation?: { readonly discardVolumes?: true } };
    const nodes = [{ nodeId: id, discards: operation?.discardVolumes === true }];
    const { clusterId } = state.declared;
    const stream = this.projection.nodes.stream(id);
    await this.close({ clusterId, stream, after, nodes, reason: 'to be rebuilt' }, context);
  }

  /** What is not on the infrastructure any more has no data. */
  private isGone(group: NodeGroupState, nodeId: string): boolean {
    const node = this.projection.nodes.get(nodeId);
    return node !== undefined && memberView(node, group.metadataGeneration).failed?.isGone === true;
  }

  private async close({ nodes, ...closing }: Closing, { correlationId }: EventContext): Promise<void> {
    if (nodes.length === 0 || this.hasNoData(closing.clusterId)) return;
    const nodeIds = nodes.map(({ nodeId }) => nodeId);
    const discarded = nodes.flatMap(({ nodeId, discards }) => (discards ? [nodeId] : []));
    const subject = commandSubject('container-scheduler', 'volume', 'close-nodes');
    const body = { ...closing, nodeIds, discarded };
    try {
      await askService(this.messaging, { from: this.options.service, subject, body, correlationId, asked: KEEPER });
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /** Whether nodes of the cluster never have data that must stay: its driver makes no volumes, or it is being deleted with all that it has. */
  private hasNoData(clusterId: string): boolean {
    const cluster = this.projection.clusters.get(clusterId);
    if (!cluster) return false;
    if (cluster.deleting) return true;
    const { conductorGroup: group, driver, driverVersion: version } = cluster.spec;
    const manifest = operatingManifest(this.ring.view, { group, driver, version });
    const { capabilities = [] } = (manifest ?? {}) as { readonly capabilities?: readonly string[] };
    return manifest !== undefined && !capabilities.includes('volumes');
  }
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof RefusedError) || error.error.code !== 'holds-volumes') return error;
  const { nodeIds = [], volumes = [] } = (error.error.extra ?? {}) as Partial<Record<string, readonly string[]>>;
  return new NodesHoldVolumes(nodeIds, volumes);
}
