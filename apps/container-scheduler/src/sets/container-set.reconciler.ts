import { Injectable } from '@nestjs/common';
import {
  accept,
  acceptsRepair,
  createContainer,
  deleteContainer,
  deleteContainerSet,
  memberDeclaration,
  noteRelease,
  omitUndefined,
  reconcileContainerSet,
  repairContainer,
  setDeciderOf,
  setPoliciesOf,
  type ContainerSetEvent,
  type ContainerSetState,
  type ContainerState,
  type Decision,
  type SetDecider,
  type SetMember,
} from '@stave/domain';
import { causedBy, operationContext, PolicyProjection, type EventContext } from '@stave/service-kit';
import { v7 as uuidv7 } from 'uuid';
import { ContainerAttachments } from '../attachments/container-attachments.js';
import { effectivePoliciesOf } from '../policies/placement-policy.js';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { awaitsCall, ReleaseHooks } from './release-hooks.js';
import { SetBalance } from './set-balance.js';
import { memberViewOf, zoneOfMember } from './member-surroundings.js';

const MAX_ROUNDS = 25;
const PARALLEL = 64;
/** Times further away than this are found by the resync of the queue. */
const NEAR_MS = 60_000;

/** Brings a set closer to what was requested: first its members in its own stream, then the stream of each member's container. */
@Injectable()
export class ContainerSetReconciler {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly lookup: SchedulerLookup,
    private readonly attachments: ContainerAttachments,
    private readonly policies: PolicyProjection,
    private readonly hooks: ReleaseHooks,
    private readonly balance: SetBalance,
  ) {}

  /** Resolves to the milliseconds after which time alone may change the decision. */
  async reconcile(id: string): Promise<number | undefined> {
    const { sets } = this.projection;
    const known = sets.get(id);
    if (!known) return undefined;
    if (known.deleted) return this.releaseName(known);
    await this.deleteWithCluster(known);
    let againMs: number | undefined = 0;
    let actor: SetDecider | undefined;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const decide = (state: ContainerSetState): Decision<ContainerSetEvent> => {
        const decided = this.decide(state);
        againMs = decided.againMs;
        actor = setDeciderOf(state, decided.events);
        return accept(...decided.events);
      };
      const { position } = await sets.settle(id, decide, state => ({
        ...this.contextOf(state, state.operations.at(-1)?.id ?? ''),
        ...omitUndefined({ actor }),
      }));
      if (position === undefined) break;
      againMs = 0;
    }
    const set = sets.get(id);
    if (set) await this.reconcileMembers(set);
    if (againMs === undefined) return undefined;
    // the resync does not see that available members are on a node that fails
    const isWatched = againMs > NEAR_MS && [...(set?.members.values() ?? [])].some(m => m.unhealthy);
    if (isWatched) return NEAR_MS;
    return againMs > NEAR_MS ? undefined : Math.max(1, Math.ceil(againMs));
  }

  /** Whether events may have missed something: the set is not complete, or a member is not active. */
  isUnsettled(id: string, { status, members, operations, deleted }: ContainerSetState): boolean {
    if (deleted) return false;
    return status !== 'ACTIVE' || operations.length > 0 || this.projection.setPhases.activeIn(id) !== members.size;
  }

  private decide(state: ContainerSetState): ReturnType<typeof reconcileContainerSet> {
    const { projection } = this;
    const cluster = projection.clusters.get(state.declared.clusterId);
    return reconcileContainerSet(state, {
      members: id => memberViewOf(projection, id),
      zoneOf: id => zoneOfMember(projection, id),
      sharesOf: members => this.balance.sharesOf(state.declared, members),
      freshIds: n => Array.from({ length: n }, () => uuidv7()),
      now: new Date().toISOString(),
      paused: cluster?.paused ?? false,
      policies: setPoliciesOf(effectivePoliciesOf(this.policies, state)),
    });
  }

  private async deleteWithCluster({ declared, deleting }: ContainerSetState): Promise<void> {
    const cluster = this.projection.clusters.get(declared.clusterId);
    if (deleting || !(cluster?.deleting || cluster?.deleted)) return;
    const operationId = cluster.operations.at(-1)?.id ?? '';
    await this.projection.sets.settle(
      declared.id,
      state => deleteContainerSet(state, { operationId }),
      operationContext(declared, operationId),
    );
  }

  /** Creates the containers of new members, and deletes those of leaving ones. */
  private async reconcileMembers(set: ContainerSetState): Promise<void> {
    const { containers } = this.projection;
    const open = [...set.members.values()].filter(({ id, leaving, repair, release }) => {
      const container = containers.get(id);
      if (!container) return true;
      if (leaving) return !container.deleting && !container.deleted;
      return isRepairOpen(repair, container) || container.release?.until !== release?.until || awaitsCall(container);
    });
    for (let i = 0; i < open.length; i += PARALLEL)
      await Promise.all(open.slice(i, i + PARALLEL).map(member => this.reconcileMember(set, member)));
  }

  private async reconcileMember(set: ContainerSetState, member: SetMember): Promise<void> {
    const { containers } = this.projection;
    const { id, leaving, reason, operationId, repair, release } = member;
    const context = this.contextOf(set, operationId);
    if (!containers.get(id)) {
      const cluster = this.projection.clusters.get(set.declared.clusterId);
      const manages = cluster ? this.attachments.managed(cluster) : [];
      const declaration = { ...memberDeclaration(set, member), ...(manages.length > 0 && { manages }) };
      await containers.create(id, () => createContainer(declaration), context);
    }
    if (!leaving && repair && repair.do !== 'replace') {
      const { do: action, generation } = repair;
      const request = { do: action, generation, operationId, reason: 'it is not healthy' };
      await containers.settle(id, state => repairContainer(state, request), context);
    }
    if (leaving) {
      const { deletion: own } = setPoliciesOf(effectivePoliciesOf(this.policies, set));
      // the policy of the set wins over that of the group whose node is removed
      const node = this.projection.nodes.get(containers.get(id)?.nodeId ?? '');
      const graceSeconds = own?.graceSeconds ?? node?.graceSeconds;
      const deletion = { operationId, reason, ...omitUndefined({ graceSeconds }) };
      await containers.settle(id, state => deleteContainer(state, deletion), context);
      return;
    }
    const awaited = release && releaseOf(set, release);
    await containers.settle(id, state => noteRelease(state, awaited), context);
    this.hooks.call(containers.get(id), context);
  }

  private async releaseName(set: ContainerSetState): Promise<undefined> {
    await this.lookup.setNames.release(set.declared, this.contextOf(set, set.lastOperationId));
    return undefined;
  }

  private contextOf({ declared }: ContainerSetState, operationId: string): EventContext {
    return { ...operationContext(declared, operationId), ...causedBy(this.projection.sets.entry(declared.id)) };
  }
}

const isRepairOpen = (repair: SetMember['repair'], container: ContainerState): boolean =>
  repair !== undefined && repair.do !== 'replace' && acceptsRepair(container, repair.generation);

/** What the stream of the container shows of a removal that waits. */
const releaseOf = ({ declared }: ContainerSetState, release: NonNullable<SetMember['release']>) => {
  const { until, onTimeout, url } = release;
  return { setId: declared.id, until, onTimeout, ...omitUndefined({ url }) };
};
