import type { ClusterAttributes, NodeGroupAttributes } from '../attribute-resolution/attributes.js';
import type { Marks, Origins, SourceRef } from '../attribute-resolution/layers.js';
import type { DomainEvent } from '../kernel/decider.js';

/** The contents of a template. Absent attributes are open. */
export interface TemplateContents<A> {
  readonly attributes: A;
  /** Attributes that this template marked immutable. */
  readonly immutableAttributes: readonly string[];
  /** Attributes that its source marked immutable; they cannot be changed or unmarked here. */
  readonly locked: Marks;
}

/** The origins of the values of a template. */
interface TemplateOrigin {
  readonly source?: SourceRef;
  readonly origins?: Origins;
}

/** A node group template in the creation of its cluster template. */
export interface NodeGroupTemplateDeclaration extends TemplateContents<NodeGroupAttributes>, TemplateOrigin {
  readonly id: string;
  readonly name: string;
}

/**
 * A cluster template and its first node group templates were requested as one event; the node group templates get
 * their own streams.
 */
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
/** The cluster template changed. What was created from it before stays as it is. */
export type ClusterTemplateUpdated = DomainEvent<
  'ClusterTemplateUpdated',
  { readonly attributes: ClusterAttributes; readonly immutableAttributes: readonly string[] }
>;
/** The cluster template was deleted, and the node group templates in it are deleted too. */
export type ClusterTemplateDeleted = DomainEvent<'ClusterTemplateDeleted', Record<string, never>>;

/** A node group template was created in a cluster template, or free-standing (null). */
export type NodeGroupTemplateCreated = DomainEvent<
  'NodeGroupTemplateCreated',
  NodeGroupTemplateDeclaration & { readonly projectId: string; readonly clusterTemplateId: string | null }
>;
/** The node group template changed, or moved to another cluster template or to none (null). */
export type NodeGroupTemplateUpdated = DomainEvent<
  'NodeGroupTemplateUpdated',
  {
    readonly attributes: NodeGroupAttributes;
    readonly immutableAttributes: readonly string[];
    readonly clusterTemplateId: string | null;
  }
>;
/** A move of the node group template was not completed in time. The name that was reserved for it is free again. */
export type NodeGroupTemplateMoveAbandoned = DomainEvent<'NodeGroupTemplateMoveAbandoned', Record<string, never>>;
/** The node group template was deleted. What was created from it stays. */
export type NodeGroupTemplateDeleted = DomainEvent<'NodeGroupTemplateDeleted', Record<string, never>>;

export type ClusterTemplateEvent = ClusterTemplateCreated | ClusterTemplateUpdated | ClusterTemplateDeleted;
export type NodeGroupTemplateEvent =
  NodeGroupTemplateCreated | NodeGroupTemplateUpdated | NodeGroupTemplateMoveAbandoned | NodeGroupTemplateDeleted;
