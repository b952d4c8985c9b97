import {
  getOrCreate,
  noBindings,
  policyBindingsStream,
  policyStream,
  type AttachedPolicy,
  type PolicyBindingsEvent,
  type PolicyTarget,
} from '@stave/domain';
import { Injectable } from '@nestjs/common';
import { idOf, type RecordedEvent } from '@stave/platform';
import type { EventFeed } from '../history/history-context.js';
import { retention, type Retention } from '../resources/ended-streams.js';
import { modelsOf, type Projection, type ResourceChanged } from '../resources/projection.js';

const streams = { policies: policyStream, bindings: policyBindingsStream };

/** Policies and what they are attached to. A change is reported for each target too: its next decision is another one. */
@Injectable()
export class PolicyProjection extends modelsOf(streams) implements Projection {
  private readonly targetsByPolicy = new Map<string, Set<string>>();
  private seen = 0;

  /** Grows with each change of a policy or of what it is attached to: what was derived from policies of another version may be outdated. */
  get version(): number {
    return this.seen;
  }

  follow(feed: EventFeed, changed: ResourceChanged): void {
    feed.on('policy', event => {
      const id = idOf(event);
      this.seen += 1;
      this.policies.apply(event);
      changed('policy', id, event);
      if (event.type !== 'PolicyCreated')
        for (const target of this.targetsOf(id)) reportTarget(this.bindings.get(target)?.target, event, changed);
    });
    feed.on('policyBindings', event => this.onBindings(event, changed));
    for (const category of ['cluster', 'nodeGroup', 'containerSet'])
      feed.on(category, event => {
        const target = event.type.endsWith('Deleted') ? this.bindings.get(idOf(event))?.target : undefined;
        reportTarget(target, event, changed);
      });
  }

  retentions(): readonly Retention[] {
    return [retention(this.policies, { isDone: id => !this.targetsByPolicy.has(id) }), retention(this.bindings)];
  }

  /** Returns the ids of what the policy is attached to. */
  targetsOf(policyId: string): readonly string[] {
    return [...(this.targetsByPolicy.get(policyId) ?? [])];
  }

  /** Returns the policies that are attached to the targets, as far as this process has seen. */
  attachedTo(...targetIds: readonly string[]): readonly AttachedPolicy[] {
    return targetIds.flatMap(id => {
      const { target, attachments } = this.bindings.get(id) ?? noBindings;
      return [...attachments.values()].flatMap(attachment => {
        const { policyId } = attachment;
        const policy = this.policies.get(policyId);
        return target && policy ? [{ policyId, policy, target, attachment }] : [];
      });
    });
  }

  private onBindings(event: RecordedEvent, changed: ResourceChanged): void {
    const id = idOf(event);
    this.seen += 1;
    this.bindings.apply(event);
    const { type, data } = event as unknown as PolicyBindingsEvent;
    if (type === 'PolicyAttached') getOrCreate(this.targetsByPolicy, data.policyId, () => new Set<string>()).add(id);
    if (type === 'PolicyDetached') this.detached(data.policyId, id);
    if (type === 'PolicyBindingsClosed') for (const policyId of data.policyIds) this.detached(policyId, id);
    reportTarget(this.bindings.get(id)?.target, event, changed);
  }

  private detached(policyId: string, target: string): void {
    const targets = this.targetsByPolicy.get(policyId);
    targets?.delete(target);
    if (targets?.size === 0) this.targetsByPolicy.delete(policyId);
  }
}

function reportTarget(target: PolicyTarget | undefined, event: RecordedEvent, changed: ResourceChanged): void {
  if (target?.type === 'cluster') changed('cluster', target.id, event);
  if (target?.type === 'nodeGroup') changed('node-group', target.id, event);
  if (target?.type === 'containerSet') changed('container-set', target.id, event);
}
