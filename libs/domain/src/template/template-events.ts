import type { ClusterAttributes, NodeGroupAttributes } from '../attribute-resolution/attributes.js';
import type { Marks, Origins, SourceRef } from '../attribute-resolution/layers.js';
import type { DomainEvent } from '../kernel/decider.js';

/** What a template says; what is absent is open. */
export interface TemplateContents<A> {
  readonly attributes: A;
  /** Marked by this template itself. */
  readonly immutableAttributes: readonly string[];
  /** Marked by what it was made from: neither lifted nor changed here. */
  readonly locked: Marks;
}

/** Where a template's values come from. */
export interface TemplateOrigin {
  readonly source?: SourceRef;
  readonly origins?: Origins;
}

/** A node group template in the creation of its cluster template. */
export interface NodeGroupTemplateDeclaration extends TemplateContents<NodeGroupAttributes>, TemplateOrigin {
  readonly id: string;
  readonly name: string;
}

/** A cluster template with its first node group templates is asked for: one fact. Their own streams follow. */
export type ClusterTemplateCreated = DomainEvent<
  'ClusterTemplateCreated',
  TemplateContents<ClusterAttributes> &
    TemplateOrigin & {
      readonly id: string;
      readonly name: string;
      readonly projectId: string;
      readonly groups: readonly NodeGroupTemplateDeclaration[];
    }
>;
/** It says something else from now on; what was made from it before stays as it is. */
export type ClusterTemplateUpdated = DomainEvent<
  'ClusterTemplateUpdated',
  { readonly attributes: ClusterAttributes; readonly immutableAttributes: readonly string[] }
>;
/** It is gone, and the node group templates inside it go with it. */
export type ClusterTemplateDeleted = DomainEvent<'ClusterTemplateDeleted', Record<string, never>>;

/** A node group template exists, inside a cluster template or free-standing (null). */
export type NodeGroupTemplateCreated = DomainEvent<
  'NodeGroupTemplateCreated',
  NodeGroupTemplateDeclaration & { readonly projectId: string; readonly clusterTemplateId: string | null }
>;
/** It says something else, or stands in another cluster template or in none (null), from now on. */
export type NodeGroupTemplateUpdated = DomainEvent<
  'NodeGroupTemplateUpdated',
  {
    readonly attributes: NodeGroupAttributes;
    readonly immutableAttributes: readonly string[];
    readonly clusterTemplateId: string | null;
  }
>;
/** It was to be moved, and whoever moves it has not come back: the name kept for it there is another's now. */
export type NodeGroupTemplateMoveAbandoned = DomainEvent<'NodeGroupTemplateMoveAbandoned', Record<string, never>>;
/** It is gone; what was made from it stays. */
export type NodeGroupTemplateDeleted = DomainEvent<'NodeGroupTemplateDeleted', Record<string, never>>;

export type ClusterTemplateEvent = ClusterTemplateCreated | ClusterTemplateUpdated | ClusterTemplateDeleted;
export type NodeGroupTemplateEvent =
  NodeGroupTemplateCreated | NodeGroupTemplateUpdated | NodeGroupTemplateMoveAbandoned | NodeGroupTemplateDeleted;
