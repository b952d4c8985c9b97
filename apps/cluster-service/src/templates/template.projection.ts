import { clusterTemplateStream, nodeGroupTemplateStream, type NodeGroupTemplateState } from '@stave/domain';
import { Injectable } from '@nestjs/common';
import { idOf } from '@stave/platform';
import { modelsOf, type EventFeed, type Projection, type ResourceChanged, type Retention } from '@stave/service-kit';

const streams = { clusterTemplates: clusterTemplateStream, groupTemplates: nodeGroupTemplateStream };

/** Cluster templates and node group templates, and which node group template is inside which cluster template. */
@Injectable()
export class TemplateProjection extends modelsOf(streams) implements Projection {
  /** By cluster template: every node group template that was ever inside. */
  private readonly everInside = new Map<string, Set<string>>();
  /** By node group template: the cluster template it is in after the last event of the feed; commands may have advanced the model. */
  private readonly parentOf = new Map<string, string | null>();
  /** By cluster template: position of the last event of a node group template that was moved in, was inside, or was moved out. */
  private readonly groupsAt = new Map<string, number>();

  /** A change of a node group template is also reported for the cluster templates that it is in, was moved into or out of. */
  follow(feed: EventFeed, changed: ResourceChanged): void {
    feed.on('clusterTemplate', event => {
      this.clusterTemplates.apply(event);
      changed('cluster-template', idOf(event), event);
    });
    feed.on('nodeGroupTemplate', event => {
      const id = idOf(event);
      this.groupTemplates.apply(event);
      const before = this.parentOf.get(id) ?? null;
      const { clusterTemplateId: after = before } = event.data as { readonly clusterTemplateId?: string | null };
      this.parentOf.set(id, after);
      changed('node-group-template', id, event);
      if (after !== null) this.everInside.set(after, (this.everInside.get(after) ?? new Set()).add(id));
      for (const parent of new Set([before, after])) {
        if (parent === null) continue;
        this.groupsAt.set(parent, event.position);
        changed('cluster-template', parent, event);
      }
    });
  }

  retentions(): readonly Retention[] {
    return [];
  }

  /** Returns the node group templates inside, as far as this process has seen, in the order of their creation. */
  inside(clusterTemplateId: string): readonly (readonly [id: string, state: NodeGroupTemplateState])[] {
    return [...this.idsEverInside(clusterTemplateId)].sort().flatMap(id => {
      const state = this.groupTemplates.get(id);
      return state && !state.deleted && state.clusterTemplateId === clusterTemplateId ? [[id, state] as const] : [];
    });
  }

  /** Returns every node group template that is or was inside. */
  idsEverInside(clusterTemplateId: string): ReadonlySet<string> {
    return this.everInside.get(clusterTemplateId) ?? new Set();
  }

  /** Returns the position of the last event that changed the document of the cluster template; -1 without one. */
  position(clusterTemplateId: string): number {
    const own = this.clusterTemplates.entry(clusterTemplateId)?.position ?? -1;
    return Math.max(own, this.groupsAt.get(clusterTemplateId) ?? -1);
  }
}
