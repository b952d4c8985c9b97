import type { ClusterAttributes, NodeGroupAttributes } from '../attribute-resolution/attributes.js';
import { ignoreUnknownEvent, type StreamDefinition } from '../kernel/stream-definition.js';
import type {
  ClusterTemplateCreated,
  ClusterTemplateEvent,
  NodeGroupTemplateCreated,
  NodeGroupTemplateEvent,
  TemplateContents,
} from './template-events.js';

/** The state that both kinds of templates share. */
export interface TemplateState<A> extends TemplateContents<A> {
  readonly deleted: boolean;
  readonly revision: number;
  /** The number of events in the stream. A move that was decided on fewer events is not valid. */
  readonly eventCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ClusterTemplateState extends TemplateState<ClusterAttributes> {
  readonly created?: ClusterTemplateCreated['data'];
}

export interface NodeGroupTemplateState extends TemplateState<NodeGroupAttributes> {
  readonly created?: NodeGroupTemplateCreated['data'];
  /** null for a template outside of any cluster template. */
  readonly clusterTemplateId: string | null;
  /** The cluster templates that it was in before, without duplicates. */
  readonly previousClusterTemplateIds: readonly (string | null)[];
}

const initial = {
  attributes: {},
  immutableAttributes: [],
  locked: {},
  deleted: false,
  revision: 0,
  eventCount: 0,
  createdAt: '',
  updatedAt: '',
};
const initialClusterTemplate: ClusterTemplateState = { ...initial };
const initialNodeGroupTemplate: NodeGroupTemplateState = {
  ...initial,
  clusterTemplateId: null,
  previousClusterTemplateIds: [],
};

function evolveClusterTemplate(
  state: ClusterTemplateState,
  event: ClusterTemplateEvent,
  time: string,
): ClusterTemplateState {
  const heard = { ...state, eventCount: state.eventCount + 1 };
  const s = { ...heard, updatedAt: time, revision: state.revision + 1 };
  switch (event.type) {
    case 'ClusterTemplateCreated': {
      const { attributes, immutableAttributes, locked } = event.data;
      return { ...s, created: event.data, attributes, immutableAttributes, locked, createdAt: time };
    }
    case 'ClusterTemplateUpdated':
      return { ...s, ...event.data };
    case 'ClusterTemplateDeleted':
      return { ...s, deleted: true };
    default:
      return ignoreUnknownEvent(heard, event);
  }
}

function evolveNodeGroupTemplate(
  state: NodeGroupTemplateState,
  event: NodeGroupTemplateEvent,
  time: string,
): NodeGroupTemplateState {
  const heard = { ...state, eventCount: state.eventCount + 1 };
  const s = { ...heard, updatedAt: time, revision: state.revision + 1 };
  switch (event.type) {
    case 'NodeGroupTemplateCreated': {
      const { attributes, immutableAttributes, locked, clusterTemplateId } = event.data;
      return {
        ...s,
        created: event.data,
        attributes,
        immutableAttributes,
        locked,
        clusterTemplateId,
        createdAt: time,
      };
    }
    case 'NodeGroupTemplateUpdated': {
      const left = new Set([...s.previousClusterTemplateIds, s.clusterTemplateId]);
      left.delete(event.data.clusterTemplateId);
      return { ...s, ...event.data, previousClusterTemplateIds: [...left] };
    }
    case 'NodeGroupTemplateDeleted':
      return { ...s, deleted: true };
    case 'NodeGroupTemplateMoveAbandoned':
      return heard;
    default:
      return ignoreUnknownEvent(heard, event);
  }
}

export const clusterTemplateStream: StreamDefinition<ClusterTemplateState, ClusterTemplateEvent> = {
  category: 'clusterTemplate',
  initial: initialClusterTemplate,
  evolve: evolveClusterTemplate,
};

export const nodeGroupTemplateStream: StreamDefinition<NodeGroupTemplateState, NodeGroupTemplateEvent> = {
  category: 'nodeGroupTemplate',
  initial: initialNodeGroupTemplate,
  evolve: evolveNodeGroupTemplate,
};
