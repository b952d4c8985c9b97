import type { ClusterAttributes, NodeGroupAttributes } from '../attribute-resolution/attributes.js';
import type { Origins, SourceRef } from '../attribute-resolution/layers.js';
import type { DomainEvent, EventOf } from '../kernel/decider.js';
import { defineResourceStream, type ResourceStream } from '../kernel/stream-definition.js';
import type { TemplateContents } from './template-rules.js';

interface TemplateOrigin {
  readonly source?: SourceRef;
  readonly origins?: Origins;
}

/** A node group template in the creation of its cluster template. */
export interface NodeGroupTemplateDeclaration extends TemplateContents<NodeGroupAttributes>, TemplateOrigin {
  readonly id: string;
  readonly name: string;
}

interface ClusterTemplateEvents {
  /**
   * A cluster template and its first node group templates were requested as one event; the node group templates get
   * their own streams.
   */
  ClusterTemplateCreated: TemplateContents<ClusterAttributes> &
    TemplateOrigin & {
      readonly id: string;
      readonly name: string;
      readonly projectId: string;
      readonly groups: readonly NodeGroupTemplateDeclaration[];
    };
  /** The cluster template changed. What was created from it before stays as it is. */
  ClusterTemplateUpdated: Pick<TemplateContents<ClusterAttributes>, 'attributes' | 'immutableAttributes'>;
  /** The cluster template was deleted, and the node group templates in it are deleted too. */
  ClusterTemplateDeleted: Record<string, never>;
}

interface NodeGroupTemplateEvents {
  /** A node group template was created in a cluster template, or free-standing (null). */
  NodeGroupTemplateCreated: NodeGroupTemplateDeclaration & {
    readonly projectId: string;
    readonly clusterTemplateId: string | null;
  };
  /** The node group template changed, or moved to another cluster template or to none (null). */
  NodeGroupTemplateUpdated: {
    readonly attributes: NodeGroupAttributes;
    readonly immutableAttributes: readonly string[];
    readonly clusterTemplateId: string | null;
  };
  /** A move of the node group template was not completed in time. The name that was reserved for it is free again. */
  NodeGroupTemplateMoveAbandoned: Record<string, never>;
  /** The node group template was deleted. What was created from it stays. */
  NodeGroupTemplateDeleted: Record<string, never>;
}

export type ClusterTemplateEvent = EventOf<ClusterTemplateEvents>;
export type ClusterTemplateCreated = EventOf<ClusterTemplateEvents, 'ClusterTemplateCreated'>;
export type NodeGroupTemplateEvent = EventOf<NodeGroupTemplateEvents>;
export type NodeGroupTemplateCreated = EventOf<NodeGroupTemplateEvents, 'NodeGroupTemplateCreated'>;

export interface TemplateState<A> extends TemplateContents<A> {
  readonly deleted: boolean;
  readonly revision: number;
  /** The number of events in the stream. A move that was decided on fewer events is not valid. */
  readonly eventCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ClusterTemplateState extends TemplateState<ClusterAttributes> {
  readonly created: ClusterTemplateCreated['data'];
}

export interface NodeGroupTemplateState extends TemplateState<NodeGroupAttributes> {
  readonly created: NodeGroupTemplateCreated['data'];
  /** null for a template outside of any cluster template. */
  readonly clusterTemplateId: string | null;
  /** The cluster templates that it was in before, without duplicates. */
  readonly previousClusterTemplateIds: readonly (string | null)[];
}

function newTemplate<D extends TemplateContents<object>>(created: D, time: string) {
  const { attributes, immutableAttributes, locked }: Pick<D, keyof TemplateContents<object>> = created;
  const contents = { attributes, immutableAttributes, locked };
  return { created, ...contents, deleted: false, revision: 1, eventCount: 1, createdAt: time, updatedAt: time };
}

/** Counts every event; those that change the template also count as its revisions. */
function counted<State extends TemplateState<object>, E extends DomainEvent>(
  stream: ResourceStream<State, E>,
): typeof stream {
  const evolve: typeof stream.evolve = (state, event, time) => {
    if (state === undefined) return stream.evolve(state, event, time);
    const heard = { ...state, eventCount: state.eventCount + 1 };
    if (event.type === 'NodeGroupTemplateMoveAbandoned') return heard;
    const next = stream.evolve(heard, event, time);
    return next === heard ? heard : { ...next, revision: heard.revision + 1 };
  };
  return { ...stream, evolve };
}

export const clusterTemplateStream = counted(
  defineResourceStream<ClusterTemplateState, ClusterTemplateEvent, 'ClusterTemplateCreated'>(
    'clusterTemplate',
    { ClusterTemplateCreated: newTemplate },
    {
      ClusterTemplateUpdated: (s, { data }) => ({ ...s, ...data }),
      ClusterTemplateDeleted: s => ({ ...s, deleted: true }),
    },
  ),
);

export const nodeGroupTemplateStream = counted(
  defineResourceStream<NodeGroupTemplateState, NodeGroupTemplateEvent, 'NodeGroupTemplateCreated'>(
    'nodeGroupTemplate',
    {
      NodeGroupTemplateCreated: (data, time) => {
        const { clusterTemplateId } = data;
        return { ...newTemplate(data, time), clusterTemplateId, previousClusterTemplateIds: [] };
      },
    },
    {
      NodeGroupTemplateUpdated: (s, { data }) => {
        const left = new Set([...s.previousClusterTemplateIds, s.clusterTemplateId]);
        left.delete(data.clusterTemplateId);
        return { ...s, ...data, previousClusterTemplateIds: [...left] };
      },
      NodeGroupTemplateDeleted: s => ({ ...s, deleted: true }),
      NodeGroupTemplateMoveAbandoned: s => s,
    },
  ),
);
