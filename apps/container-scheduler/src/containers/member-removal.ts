import { Inject, Injectable } from '@nestjs/common';
import { RefusedError, type RequestMeta } from '@stave/contracts';
import { isUuid, removeSetMember, revisionMismatch, type ContainerSetState, type ContainerState } from '@stave/domain';
import { actorOf, type CommandReply, type ResourceCommands } from '@stave/service-kit';
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
  ) {}

  /** Returns whether the container is a member of a set. One that is deleted is found by its id only, for repeats of its deletion. */
  async isMember(meta: RequestMeta, ref: string): Promise<boolean> {
    const known = isUuid(ref) ? (await this.projection.containers.lookUp(ref)).state : undefined;
    const state = known ?? (await this.named(meta, ref));
    return state?.declared.setId !== undefined;
  }

  remove(meta: RequestMeta, ref: string, reduceDesired: boolean): Promise<CommandReply> {
    const { containers } = this.projection;
    return this.sets.change(meta, {
      find: () => this.lookup.container(meta, ref),
      decidedIn: async id => (await containers.loadExisting(id)).state.declared.setId ?? '',
      body: { delete: true, reduceDesired },
      starts: true,
      check: async (_set, { resourceId }) => {
        const { revision } = (await containers.loadExisting(resourceId)).state;
        if (meta.ifMatch !== undefined && meta.ifMatch !== revision)
          throw new RefusedError(revisionMismatch(meta.ifMatch, revision));
      },
      decide: (set, { resourceId: memberId, operationId: id }) => {
        const operation = { id, kind: 'container.delete', total: reduceDesired ? 1 : 2 };
        const { actor, actorName: by = actor } = actorOf(meta.actor);
        return removeSetMember(set, { memberId, operation, reduceDesired, by });
      },
      show: async (_set, { resourceId }, position = Infinity) => {
        const { state } = await containers.asOf(resourceId, event => event.position < position);
        const known = state ?? (await containers.loadExisting(resourceId)).state;
        return containerFields({ ...known, status: 'DELETING' });
      },
    });
  }

  private async named(meta: RequestMeta, ref: string): Promise<ContainerState | undefined> {
    try {
      return (await this.lookup.container(meta, ref)).state;
    } catch (error) {
      // the deletion itself answers what is wrong
      if (error instanceof RefusedError) return undefined;
      throw error;
    }
  }
}
