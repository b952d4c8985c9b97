import {
  clusterTemplateStream,
  nodeGroupTemplateStream,
  type ClusterTemplateState,
  type NodeGroupTemplateState,
} from '@stave/domain';
import { idOf, type EventStore } from '@stave/platform';
import { ResourceModel, type EventFeed, type Folded } from '@stave/service-kit';

/** Who wants to know that something changed. */
export interface TemplateListeners {
  clusterTemplate(id: string): void;
  nodeGroupTemplate(id: string): void;
}

/** Cluster templates and node group templates, and which of these are inside which of those. */
export class TemplateModels {
  readonly clusterTemplates: ResourceModel<ClusterTemplateState>;
  readonly groupTemplates: ResourceModel<NodeGroupTemplateState>;
  /** By cluster template: every node group template that ever was inside. */
  private readonly everInside = new Map<string, Set<string>>();
  /** As the feed told last; commands may have brought the model further. */
  private readonly toldIn = new Map<string, string | null>();
  /** By cluster template: position of the last event of one that came, was, or left. */
  private readonly groupsAt = new Map<string, number>();

  get folded(): Folded['folded'] {
    const { clusterTemplates, groupTemplates, everInside, toldIn, groupsAt } = this;
    return { clusterTemplates, groupTemplates, everInside, toldIn, groupsAt };
  }

  constructor(store: EventStore) {
    this.clusterTemplates = new ResourceModel(clusterTemplateStream, store);
    this.groupTemplates = new ResourceModel(nodeGroupTemplateStream, store);
  }

  /** A change of a node group template is told for the cluster templates, too, that it came to or left. */
  follow(feed: EventFeed, on: TemplateListeners): void {
    feed.on('clusterTemplate', event => {
      this.clusterTemplates.apply(event);
      on.clusterTemplate(idOf(event));
    });
    feed.on('nodeGroupTemplate', event => {
      const id = idOf(event);
      this.groupTemplates.apply(event);
      const before = this.toldIn.get(id) ?? null;
      const { clusterTemplateId: after = before } = event.data as { readonly clusterTemplateId?: string | null };
      this.toldIn.set(id, after);
      on.nodeGroupTemplate(id);
      if (after !== null) this.everInside.set(after, (this.everInside.get(after) ?? new Set()).add(id));
      for (const parent of new Set([before, after])) {
        if (parent === null) continue;
        this.groupsAt.set(parent, event.position);
        on.clusterTemplate(parent);
      }
    });
  }

  /** The node group templates inside, as far as this process has heard, in the order in which they were made. */
  inside(clusterTemplateId: string): readonly (readonly [id: string, state: NodeGroupTemplateState])[] {
    return [...this.idsEverInside(clusterTemplateId)].sort().flatMap(id => {
      const state = this.groupTemplates.get(id);
      return state && !state.deleted && state.clusterTemplateId === clusterTemplateId ? [[id, state] as const] : [];
    });
  }

  /** Every node group template that is or was inside. */
  idsEverInside(clusterTemplateId: string): ReadonlySet<string> {
    return this.everInside.get(clusterTemplateId) ?? new Set();
  }

  /** Of the last event of a node group template that shows in the cluster template; -1 where there is none. */
  positionOfGroups(clusterTemplateId: string): number {
    return this.groupsAt.get(clusterTemplateId) ?? -1;
  }
}
