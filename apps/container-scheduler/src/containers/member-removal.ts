import { Inject, Injectable } from '@nestjs/common';
import { RefusedError, type RequestMeta } from '@stave/contracts';
import {
  conflict,
  endMemberRelease,
  isUuid,
  moveRefusal,
  removeSetMember,
  revisionMismatch,
  setPoliciesOf,
  type ContainerSetState,
  type ContainerState,
} from '@stave/domain';
import { effectivePoliciesOf } from '../policies/placement-policy.js';
import {
  actorOf,
  isWrongReference,
  PolicyProjection,
  type CommandReply,
  type ResourceCommands,
} from '@stave/service-kit';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { containerSetResource } from '../sets/container-set.resource.js';
import { containerFields } from './container.document.js';

/** Deletes members of sets: that is decided in the stream of the set, which replaces them or lowers its desired number. */
@Injectable()
export class MemberRemoval {
  constructor(
    @Inject(containerSetResource.commands) private readonly sets: ResourceCommands<ContainerSetState>,
    private readonly projection: SchedulerProjection,
    private readonly lookup: SchedulerLookup,
    private readonly policies: PolicyProjection,
  ) {}

  /** Returns whether the container is a member of a set. One that is deleted is found by its id only, for repeats of its deletion. */
  async isMember(meta: RequestMeta, ref: string): Promise<boolean> {
    const known = isUuid(ref) ? (await this.projection.containers.lookUp(ref)).state : undefined;
    const state = known ?? (await this.named(meta, ref));
    return state?.declared.setId !== undefined;
  }

  remove(meta: RequestMeta, ref: string, reduceDesired: boolean): Promise<CommandReply> {
    return this.replace(meta, ref, { kind: 'container.delete', reduceDesired });
  }

  /** Replaces the member by one on another node, where one fits. */
  move(meta: RequestMeta, ref: string): Promise<CommandReply> {
    return this.replace(meta, ref, { kind: 'container.move', reduceDesired: false });
  }

  private replace(
    meta: RequestMeta,
    ref: string,
    { kind, reduceDesired }: { readonly kind: 'container.delete' | 'container.move'; readonly reduceDesired: boolean },
  ): Promise<CommandReply> {
    const { containers } = this.projection;
    const isMove = kind === 'container.move';
    let movedFrom: string | undefined;
    return this.sets.change(meta, {
      find: () => this.lookup.container(meta, ref),
      decidedIn: async id => (await containers.loadExisting(id)).state.declared.setId ?? '',
      body: isMove ? { action: 'move' } : { delete: true, reduceDesired },
      starts: true,
      check: async (_set, { resourceId }) => {
        const { state } = await containers.loadExisting(resourceId);
        const { revision, nodeId } = state;
        const refusal = isMove ? moveRefusal(state) : undefined;
        if (refusal) throw new RefusedError(refusal);
        movedFrom = isMove ? nodeId : undefined;
        if (meta.ifMatch !== undefined && meta.ifMatch !== revision)
          throw new RefusedError(revisionMismatch(meta.ifMatch, revision));
      },
      decide: (set, { resourceId: memberId, operationId: id }) => {
        const operation = { id, kind, total: reduceDesired ? 1 : 2 };
        const { actor, actorName: by = actor } = actorOf(meta.actor);
        // a move is no removal: it does not wait
        const { hook } = movedFrom ? {} : (setPoliciesOf(effectivePoliciesOf(this.policies, set)).deletion ?? {});
        return removeSetMember(set, { memberId, operation, reduceDesired, movedFrom, by, hook });
      },
      show: async (_set, { resourceId }, position = Infinity) => {
        const { state } = await containers.asOf(resourceId, event => event.position < position);
        const known = state ?? (await containers.loadExisting(resourceId)).state;
        return containerFields({ ...known, status: 'DELETING' });
      },
    });
  }

  /** Releases a member whose removal waits for that, or keeps it. Throws RefusedError `no-release-awaited`. */
  async endRelease(meta: RequestMeta, ref: string, action: 'release' | 'abort'): Promise<CommandReply> {
    const { containers } = this.projection;
    const { state } = await this.lookup.container(meta, ref);
    if (state.declared.setId === undefined)
      throw new RefusedError(conflict('no-release-awaited', 'the container is not a member of a set'));
    return this.sets.change(meta, {
      find: () => this.lookup.container(meta, ref),
      decidedIn: async id => (await containers.loadExisting(id)).state.declared.setId ?? '',
      body: { action },
      decide: (set, { resourceId: memberId }) => endMemberRelease(set, { memberId, action }),
      show: async (_set, { resourceId }, position = Infinity) => {
        const known = await containers.asOf(resourceId, event => event.position < position);
        return containerFields(known.state ?? (await containers.loadExisting(resourceId)).state);
      },
    });
  }

  private async named(meta: RequestMeta, ref: string): Promise<ContainerState | undefined> {
    try {
      return (await this.lookup.container(meta, ref)).state;
    } catch (error) {
      // the deletion itself answers what is wrong
      if (isWrongReference(error)) return undefined;
      throw error;
    }
  }
}
