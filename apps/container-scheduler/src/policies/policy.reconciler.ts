import { Injectable } from '@nestjs/common';
import { closeBindings, endAttachment } from '@stave/domain';
import { LeaderTasks, PolicyProjection, RECONCILER, ResourceRegistry, type EventContext } from '@stave/service-kit';
import { PolicyLookup } from './policy.lookup.js';

const CONCURRENCY = 4;

/** Ends the attachments of policies and targets that are deleted. */
@Injectable()
export class PolicyReconciler {
  /** The last cluster and position of an event whose sets were reported. */
  private passedOn = '';

  constructor(
    private readonly projection: PolicyProjection,
    private readonly lookup: PolicyLookup,
    tasks: LeaderTasks,
    registry: ResourceRegistry,
  ) {
    const queue = tasks.addQueue('policy-bindings', {
      work: target => this.reconcile(target),
      concurrency: CONCURRENCY,
      resync: { ids: () => projection.bindings.ids(), needsWork: target => this.hasDeletedPolicy(target) },
    });
    // members that wait may have a place as soon as the policies of their set change
    registry.on('container-set', (id, event) => {
      const clusterId = event.stream.startsWith('policy') ? lookup.clusterOfSet(id) : undefined;
      if (clusterId !== undefined) registry.changed('cluster', clusterId, event);
    });
    // the policies of a cluster count for its sets, too
    registry.on('cluster', (id, event) => {
      // a set reports its cluster: each event is passed on once
      const passed = `${id} ${event.position}`;
      if (!event.stream.startsWith('policy') || passed === this.passedOn) return;
      this.passedOn = passed;
      for (const set of lookup.setsIn(id)) registry.changed('container-set', set, event);
    });
    for (const resource of ['cluster', 'node-group', 'container-set'] as const)
      registry.on(resource, (id, { type }) => {
        const mayEnd = type === 'PolicyAttached' || type.endsWith('Deleted');
        if (mayEnd && projection.bindings.get(id)) queue.mark(id);
      });
  }

  /** Detaches a deleted policy from everything. Idempotent. Resolves to the position of the last event, or -1. */
  async detachDeleted(policyId: string, context: EventContext): Promise<number> {
    let last = -1;
    for (const target of this.projection.targetsOf(policyId)) {
      const { position } = await this.projection.bindings.execute(
        target,
        state => endAttachment(state, policyId),
        context,
      );
      last = Math.max(last, position ?? -1);
    }
    return last;
  }

  private hasDeletedPolicy(target: string): boolean {
    return this.projection.attachedTo(target).some(({ policy }) => policy.deleted);
  }

  private async reconcile(id: string): Promise<void> {
    const { bindings, policies } = this.projection;
    const { state } = await bindings.load(id);
    if (state.target === undefined || state.deleted) return;
    const { projectId, clusterId } = await this.lookup.scopeOf(state.target);
    const context = { correlationId: id, actor: RECONCILER, project: projectId, ...(clusterId ? { clusterId } : {}) };
    if (await this.lookup.isDeleted(state.target)) return void (await bindings.execute(id, closeBindings, context));
    for (const policyId of state.attachments.keys())
      if ((await policies.lookUp(policyId)).state?.deleted !== false)
        await bindings.execute(id, s => endAttachment(s, policyId), context);
  }
}
