import { Inject, Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import { registerGroups, unregisterGroup, type ClusterState } from '@stave/domain';
import { WrongExpectedRevisionError, type EventStore } from '@stave/platform';
import { CREATION_ABANDONED, EVENT_STORE, newEvents, type EventContext } from '@stave/service-kit';
import { FleetProjection } from '../fleet/fleet.projection.js';

interface NamedGroup {
  readonly id: string;
  readonly name: string;
}

/** The names of the node groups of each cluster. A name whose group was registered and never created is freed for others. */
@Injectable()
export class NodeGroupRegistry {
  constructor(
    private readonly projection: FleetProjection,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  /**
   * Registers the group, after the groups that the cluster was created with. Where the name belongs to a group that was never created,
   * that creation is abandoned: it is refused if it continues later. Throws RefusedError `name-taken` and others.
   */
  async register(clusterId: string, cluster: ClusterState, group: NamedGroup, context: EventContext): Promise<void> {
    const groups = [...cluster.created.groups, group];
    const execute = (): Promise<unknown> =>
      this.projection.registry.execute(clusterId, state => registerGroups(state, groups), context);
    try {
      await execute();
    } catch (error) {
      if (!(error instanceof RefusedError) || error.error.code !== 'name-taken') throw error;
      if (!(await this.freeName(clusterId, cluster, group.name, context))) throw error;
      await execute();
    }
  }

  /** Throws what `register` would throw, and appends nothing. */
  async requireRegistrable(clusterId: string, cluster: ClusterState, group: NamedGroup): Promise<void> {
    const { state } = await this.projection.registry.load(clusterId);
    const decision = registerGroups(state, [...cluster.created.groups, group]);
    if (decision.ok) return;
    const isFree =
      decision.refusal.code === 'name-taken' &&
      (await this.ownerNeverCreated(clusterId, cluster, group.name)) !== undefined;
    if (!isFree) throw new RefusedError(decision.refusal);
  }

  /** Ends the creation of a group that does not exist yet. Returns false when the group exists. Idempotent. */
  async abandonCreation(groupId: string, context: EventContext): Promise<boolean> {
    const { groups } = this.projection;
    const stream = groups.stream(groupId);
    const events = [{ type: CREATION_ABANDONED, data: {} }];
    if (context.admission && !(await context.admission.admits({ stream, after: -1, events }))) return true;
    try {
      await this.store.append(stream, newEvents(stream, -1, events, context, new Date().toISOString()), 'no_stream');
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
    const { state, streamRevision } = await groups.load(groupId);
    return streamRevision >= 0 && !state;
  }

  async unregister(clusterId: string, groupId: string, context: EventContext): Promise<void> {
    await this.projection.registry.execute(clusterId, state => unregisterGroup(state, groupId), context);
  }

  private async freeName(
    clusterId: string,
    cluster: ClusterState,
    name: string,
    context: EventContext,
  ): Promise<boolean> {
    const owner = await this.ownerNeverCreated(clusterId, cluster, name);
    if (owner === undefined || !(await this.abandonCreation(owner, context))) return false;
    await this.unregister(clusterId, owner, context);
    return true;
  }

  /** Returns the group that has the name and was never created; never a group that the cluster was created with. */
  private async ownerNeverCreated(clusterId: string, cluster: ClusterState, name: string): Promise<string | undefined> {
    const { registry, groups } = this.projection;
    const { state } = await registry.load(clusterId);
    const owner = [...state.groups].find(([, other]) => other.toLowerCase() === name.toLowerCase())?.[0];
    if (owner === undefined || cluster.created.groups.some(g => g.id === owner)) return undefined;
    return (await groups.load(owner)).state ? undefined : owner;
  }
}
