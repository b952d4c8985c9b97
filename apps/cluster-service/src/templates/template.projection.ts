import {
  clusterTemplateStream,
  getOrCreate,
  nodeGroupTemplateStream,
  type ClusterTemplateCreated,
  type NodeGroupTemplateState,
} from '@stave/domain';
import { Injectable } from '@nestjs/common';
import { idOf, type RecordedEvent } from '@stave/platform';
import {
  modelsOf,
  retention,
  type EventFeed,
  type Projection,
  type ResourceChanged,
  type Retention,
} from '@stave/service-kit';

const streams = { clusterTemplates: clusterTemplateStream, groupTemplates: nodeGroupTemplateStream };

/** Cluster templates and node group templates, and which node group template is inside which cluster template. */
@Injectable()
export class TemplateProjection extends modelsOf(streams) implements Projection {
  /** By cluster template: the node group templates in memory that are or were inside. */
  private readonly everInside = new Map<string, Set<string>>();
  /** By node group template: the cluster template it is in after the last event of the feed; commands may have advanced the model. */
  private readonly parentOf = new Map<string, string | null>();
  /** By cluster template: position of the last event of a node group template that was moved in, was inside, or was moved out. */
  private readonly groupsAt = new Map<string, number>();
  /** The node group templates that cluster templates in memory were created with. */
  private readonly declared = new Set<string>();

  /** A change of a node group template is also reported for the cluster templates that it is in, was moved into or out of. */
  follow(feed: EventFeed, changed: ResourceChanged): void {
    feed.on('clusterTemplate', event => {
      const id = idOf(event);
      this.clusterTemplates.apply(event);
      const { groups = [] } = event.data as Partial<ClusterTemplateCreated['data']>;
      for (const group of groups) this.declared.add(group.id);
      changed('cluster-template', id, event);
    });
    feed.on('nodeGroupTemplate', event => {
      const id = idOf(event);
      this.groupTemplates.apply(event);
      // an event after the end of a stream that was forgotten
      if (!this.groupTemplates.entry(id)) return;
      const parents = this.move(id, event);
      changed('node-group-template', id, event);
      for (const parent of parents) changed('cluster-template', parent, event);
    });
  }

  /** Node group templates that a living cluster template was created with stay: without them they would count as not yet created. */
  retentions(): readonly Retention[] {
    const { clusterTemplates, groupTemplates, declared, groupsAt } = this;
    return [
      retention(groupTemplates, {
        isDone: id => !declared.has(id),
        forget: (id, state) => this.forgetGroup(id, state),
      }),
      retention(clusterTemplates, {
        isDone: id => this.inside(id).length === 0,
        forget: (id, state) => {
          groupsAt.delete(id);
          for (const group of state?.created.groups ?? []) declared.delete(group.id);
        },
      }),
    ];
  }

  /** Returns the node group templates inside, as far as this process has seen, in the order of their creation. */
  inside(clusterTemplateId: string): readonly (readonly [id: string, state: NodeGroupTemplateState])[] {
    return [...this.idsEverInside(clusterTemplateId)].sort().flatMap(id => {
      const state = this.groupTemplates.get(id);
      return state && !state.deleted && state.clusterTemplateId === clusterTemplateId ? [[id, state] as const] : [];
    });
  }

  /** Returns the node group templates in memory that are or were inside. */
  idsEverInside(clusterTemplateId: string): ReadonlySet<string> {
    return this.everInside.get(clusterTemplateId) ?? new Set();
  }

  /** Returns the position of the last event that changed the document of the cluster template; -1 without one. */
  position(clusterTemplateId: string): number {
    const own = this.clusterTemplates.entry(clusterTemplateId)?.position ?? -1;
    return Math.max(own, this.groupsAt.get(clusterTemplateId) ?? -1);
  }

  /** Notes where the node group template is after the event. Returns the cluster templates that it is in, or was before. */
  private move(id: string, event: RecordedEvent): readonly string[] {
    const before = this.parentOf.get(id) ?? null;
    const { clusterTemplateId: after = before } = event.data as { readonly clusterTemplateId?: string | null };
    this.parentOf.set(id, after);
    if (after !== null) getOrCreate(this.everInside, after, () => new Set<string>()).add(id);
    const parents = [...new Set([before, after])].flatMap(parent => parent ?? []);
    for (const parent of parents) this.groupsAt.set(parent, event.position);
    return parents;
  }

  private forgetGroup(id: string, state: NodeGroupTemplateState | undefined): void {
    this.parentOf.delete(id);
    if (!state) return;
    for (const parent of [...state.previousClusterTemplateIds, state.clusterTemplateId]) {
      if (parent === null) continue;
      const ids = this.everInside.get(parent);
      ids?.delete(id);
      if (ids?.size === 0) this.everInside.delete(parent);
      // its last event may have come after the cluster template was forgotten
      if (!this.clusterTemplates.entry(parent)) this.groupsAt.delete(parent);
    }
  }
}
