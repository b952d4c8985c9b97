import { registerGroups, unregisterGroup, type ClusterState } from '@stave/domain';
import { RefusedError } from '@stave/contracts';
import { CREATION_ABANDONED, newEvents, type EventContext } from '@stave/service-kit';
import { WrongExpectedRevisionError, type EventStore } from '@stave/platform';
import type { NodeGroupModels } from '../nodegroup-models.js';

interface NamedGroup {
  readonly id: string;
  readonly name: string;
}

/** The registry of a cluster's groups, and the end of creations whose writer never came back. */
export class GroupRegistration {
  constructor(
    private readonly models: NodeGroupModels,
    private readonly store: EventStore,
  ) {}

  /**
   * Registers the group. The names of the groups that the cluster was asked for with come first. A name held by a group that was never made is
   * taken over: its creation is abandoned, so that its writer is refused should he come back. Throws RefusedError `name-taken` and others.
   */
  async register(clusterId: string, cluster: ClusterState, group: NamedGroup, context: EventContext): Promise<void> {
    const first = cluster.created?.groups ?? [];
    const execute = (): Promise<unknown> =>
      this.models.registry.execute(clusterId, state => registerGroups(state, [...first, group]), context);
    try {
      await execute();
    } catch (error) {
      if (!(error instanceof RefusedError) || error.error.code !== 'name-taken') throw error;
      if (!(await this.freeName(clusterId, cluster, group.name, context))) throw error;
      await execute();
    }
  }

  /** Whether the registry would take the group now, seen without a write; a name whose owner was never made counts as free. */
  async check(clusterId: string, cluster: ClusterState, group: NamedGroup): Promise<void> {
    const { state } = await this.models.registry.load(clusterId);
    const decision = registerGroups(state, [...(cluster.created?.groups ?? []), group]);
    if (decision.ok) return;
    const owner =
      decision.refusal.code === 'name-taken' ? await this.neverCreated(clusterId, cluster, group.name) : undefined;
    if (owner === undefined) throw new RefusedError(decision.refusal);
  }

  /** No group may come of this id any more; false when it exists already. Again changes nothing. */
  async abandon(groupId: string, context: EventContext): Promise<boolean> {
    const stream = this.models.groups.stream(groupId);
    const events = [{ type: CREATION_ABANDONED, data: {} }];
    if (context.admission && !(await context.admission.admits({ stream, after: -1, events }))) return true;
    try {
      await this.store.append(stream, newEvents(stream, -1, events, context, new Date().toISOString()), 'no_stream');
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
    const { state, streamRevision } = await this.models.groups.load(groupId);
    return streamRevision >= 0 && !state.declared;
  }

  async forget(clusterId: string, groupId: string, context: EventContext): Promise<void> {
    await this.models.registry.execute(clusterId, state => unregisterGroup(state, groupId), context);
  }

  private async freeName(
    clusterId: string,
    cluster: ClusterState,
    name: string,
    context: EventContext,
  ): Promise<boolean> {
    const owner = await this.neverCreated(clusterId, cluster, name);
    if (owner === undefined || !(await this.abandon(owner, context))) return false;
    await this.forget(clusterId, owner, context);
    return true;
  }

  /** Who holds the name without having been made; never one of those that follow from the cluster's own creation. */
  private async neverCreated(clusterId: string, cluster: ClusterState, name: string): Promise<string | undefined> {
    const { state } = await this.models.registry.load(clusterId);
    const owner = [...state.groups].find(([, other]) => other.toLowerCase() === name.toLowerCase())?.[0];
    if (owner === undefined || cluster.created?.groups.some(g => g.id === owner)) return undefined;
    return (await this.models.groups.load(owner)).state.declared ? undefined : owner;
  }
}
