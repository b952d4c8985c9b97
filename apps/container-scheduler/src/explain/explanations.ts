import { Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import {
  explain,
  getOrCreate,
  memberDeclaration,
  murmur3,
  notFound,
  place,
  REMEDY_SEARCH_MS,
  refusalsOn,
  type ContainerSetState,
  type NodeView,
  type ContainerState,
  type Explanation,
  type ExplainInput,
  type PlacementRequest,
  type PlanStep,
} from '@stave/domain';
import type { Outlook } from '@stave/service-kit';
import { ContainerAttachments } from '../attachments/container-attachments.js';
import { ClusterSnapshots, type ClusterSnapshot } from '../placement/cluster-snapshots.js';
import { nodesToAvoid } from '../placement/passed-over.js';
import { PlacementRequests } from '../placement/placement-requests.js';
import { ProjectRoom } from '../quotas/project-room.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { growableGroups } from './growable-groups.js';
import { changeOf, isMovable, moveOf } from './remedy-actions.js';
import { predecessorOf } from './waiting-successor.js';

/** More containers that wait longer are not asked. */
const MOST_AHEAD = 500;

export interface ShownExplanation extends Omit<Explanation, 'refusals'> {
  readonly refusals: readonly (Omit<Explanation['refusals'][number], 'code'> & { readonly code: string })[];
  /** The status of what is explained; null for a container that does not exist. */
  readonly status: string | null;
  readonly at: string;
  /** The place in the queue of those that wait in the cluster, from 1; null for one that does not wait. */
  readonly position: number | null;
}

interface Effect<S> {
  readonly before: S | undefined;
  readonly after: S;
}

type Explained = Pick<ContainerState, 'declared' | 'contents'> & Partial<ContainerState>;

/** Explains on the present snapshot why containers wait, and what would place them. */
@Injectable()
export class Explanations {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly snapshots: ClusterSnapshots,
    private readonly requests: PlacementRequests,
    private readonly attachments: ContainerAttachments,
    private readonly room: ProjectRoom,
  ) {}

  /** `node`: everything that refuses the container on that node of its cluster, by id or name. Throws RefusedError `not-found`. */
  ofContainer(container: Explained, node?: string): ShownExplanation {
    const since = performance.now();
    const snapshot = this.snapshots.of(container.declared.clusterId);
    const waiting = this.projection.pendingByCluster.in(container.declared.clusterId);
    const at = waiting.indexOf(container.declared.id);
    const position = at < 0 ? null : at + 1;
    const shown = { status: container.status ?? null, at: new Date().toISOString(), position };
    const input = this.inputOf(container, snapshot, since);
    if (node !== undefined) return { ...shown, ...onNode(input, node) };
    if (container.nodeId !== undefined) return { ...shown, ...explain(input), ...nothingToRemedy };
    const ahead = at < 0 ? waiting : waiting.slice(0, at);
    const found = explain({ ...input, ahead: this.aheadOf(ahead.slice(0, MOST_AHEAD), snapshot) });
    const { remedies, search } = found;
    const isComplete = search.complete && (ahead.length <= MOST_AHEAD || remedies.length === 0);
    return { ...shown, ...found, search: { ...search, complete: isComplete } };
  }

  /** Explains the first member that waits; where none does, the next one that the set would get. */
  ofSet(set: ContainerSetState, node?: string): ShownExplanation {
    const { containers, pendingByCluster } = this.projection;
    const waiting = new Set(pendingByCluster.in(set.declared.clusterId));
    const members = [...set.members.values()].filter(({ id, leaving }) => !leaving && waiting.has(id));
    const [first] = members.sort((a, b) => a.ordinal - b.ordinal);
    const container = containers.get(first?.id ?? '') ?? this.nextMember(set);
    return { ...this.ofContainer(container, node), status: set.status };
  }

  /** Returns what the plan of a creation shows of it. */
  outlookOfContainer({ before, after }: Effect<ContainerState>): Outlook | undefined {
    if (before) return undefined;
    const { declared, contents } = after;
    return { explanation: this.ofContainer({ declared, contents }) };
  }

  /** Returns the nodes that the members of a set would get that a plan creates, and for a new set why they would wait. */
  outlookOfSet({ before, after }: Effect<ContainerSetState>, steps: readonly PlanStep[]): Outlook | undefined {
    const names = steps.flatMap(({ action, resource: { type, name } }) =>
      action === 'create' && type === 'container' && name !== undefined ? [name] : [],
    );
    if (names.length === 0) return undefined;
    const member = this.nextMember(after);
    const { clusterId, setId } = member.declared;
    const snapshot = this.snapshots.of(clusterId);
    const request = this.requestOf(member, snapshot);
    const policy = this.requests.policyOf(clusterId, setId);
    const seed = murmur3(clusterId, this.projection.placement.revision(clusterId) + 1);
    const decisions = place(
      snapshot.table,
      names.map(id => ({ ...request, id })),
      policy,
      seed,
    );
    const placements = decisions.map(each => ({ name: each.requestId, nodeId: each.placed ? each.nodeId : null }));
    return { placements, ...(before ? {} : { explanation: this.ofContainer(member) }) };
  }

  /** Returns the next member of the set as it would be declared. */
  nextMember(set: ContainerSetState): Explained {
    const taken = new Set([...set.members.values()].filter(({ leaving }) => !leaving).map(({ ordinal }) => ordinal));
    let ordinal = 0;
    while (taken.has(ordinal)) ordinal += 1;
    const id = `next-of-${set.declared.id}`;
    const member = { id, ordinal, revision: set.target, leaving: false, operationId: '', reason: '' };
    const declared = memberDeclaration(set, { ...member, addedAt: set.updatedAt, availableMs: 0 });
    const cluster = this.projection.clusters.get(declared.clusterId);
    const manages = cluster ? this.attachments.managed(cluster) : [];
    return { declared: { ...declared, manages }, contents: declared.contents };
  }

  /** Returns what an explanation of the container begins with. */
  inputOf(container: Explained, snapshot: ClusterSnapshot, since: number): ExplainInput {
    const { projection } = this;
    const { clusterId, setId } = container.declared;
    const request = this.requestOf(container, snapshot);
    const looks = container.nodeId === undefined ? this.remedies(container, snapshot, request) : {};
    return {
      table: snapshot.table,
      request,
      policy: this.requests.policyOf(clusterId, setId),
      seed: murmur3(clusterId, projection.placement.revision(clusterId) + 1),
      hasTime: () => container.nodeId === undefined && performance.now() - since < REMEDY_SEARCH_MS,
      ...looks,
    };
  }

  private remedies(container: Explained, snapshot: ClusterSnapshot, before: PlacementRequest): Partial<ExplainInput> {
    const { projection, snapshots } = this;
    // what does not exist is requested otherwise; a set that does changes all its members
    const movable = new Map<string, readonly PlacementRequest[]>();
    const canChange = container.status !== undefined || container.declared.setId !== undefined;
    return {
      groups: growableGroups(snapshots, this.room, container.declared.clusterId),
      movableOn: nodeId => getOrCreate(movable, nodeId, () => this.movableOn(nodeId, snapshot)),
      moveContainer: moveOf,
      ...this.predecessor(container, snapshot),
      ...(canChange && { changeRequest: after => changeOf(projection, container, { before, after }) }),
    };
  }

  /** Returns what the container replaces in its set, which waits for it. */
  private predecessor({ declared }: Explained, snapshot: ClusterSnapshot): Pick<ExplainInput, 'predecessor'> {
    const set = this.projection.sets.get(declared.setId ?? '');
    const found = set && predecessorOf(set, declared.id);
    const state = this.projection.containers.get(found?.id ?? '');
    if (!found || state?.nodeId === undefined) return {};
    const { nodeId } = state;
    return { predecessor: { nodeId, request: this.requests.of(state, snapshot), actions: found.actions } };
  }

  private requestOf(container: Explained, snapshot: ClusterSnapshot): PlacementRequest {
    const { recentlyRejectedBy = {} } = container;
    // a node that is only passed over is taken where no other one fits
    return this.requests.of(container, snapshot, nodesToAvoid({ recentlyRejectedBy }, Date.now()));
  }

  private aheadOf(ids: readonly string[], snapshot: ClusterSnapshot): readonly PlacementRequest[] {
    return ids.flatMap(id => {
      const state = this.projection.containers.get(id);
      return state ? [this.requestOf(state, snapshot)] : [];
    });
  }

  /** Returns the containers on the node that a user can move; those with data on the node stay. */
  private movableOn(nodeId: string, snapshot: ClusterSnapshot): readonly PlacementRequest[] {
    const { containersByNode, containers } = this.projection;
    return containersByNode.in(nodeId).flatMap(id => {
      const state = containers.get(id);
      if (!state || !isMovable(state)) return [];
      const request = this.requests.of(state, snapshot);
      return request.volumes?.some(({ scope }) => scope === 'node') ? [] : [request];
    });
  }
}

/** Names of nodes are unique in their cluster. */
export const isNamed =
  (ref: string) =>
  ({ id, name }: NodeView): boolean =>
    id === ref || name === ref;

export const nothingToRemedy = { growth: [], remedies: [], search: { candidates: 0, complete: true } };

/** Explains one node alone. */
function onNode(input: ExplainInput, node: string): Explanation {
  const nodeId = input.table.views.find(isNamed(node))?.id;
  if (nodeId === undefined) throw new RefusedError(notFound('the node in the cluster of the container'));
  const refusals = refusalsOn(nodeId, input).map(refusal => ({ ...refusal, count: 1, nodes: [nodeId] }));
  const passing = refusals.length === 0 ? 1 : 0;
  return {
    nodes: { total: 1, passing },
    refusals,
    ...nothingToRemedy,
  };
}
