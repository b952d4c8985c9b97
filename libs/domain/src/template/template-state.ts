import type { ClusterAttributes, NodeGroupAttributes } from '../blueprint/attributes.js';
import type {
  ClusterTemplateCreated,
  ClusterTemplateEvent,
  NodeGroupTemplateCreated,
  NodeGroupTemplateEvent,
  TemplateContents,
} from './template-events.js';

/** What both kinds of templates have in common. */
export interface TemplateState<A> extends TemplateContents<A> {
  readonly deleted: boolean;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ClusterTemplateState extends TemplateState<ClusterAttributes> {
  readonly created?: ClusterTemplateCreated['data'];
}

export interface NodeGroupTemplateState extends TemplateState<NodeGroupAttributes> {
  readonly created?: NodeGroupTemplateCreated['data'];
  /** null: free-standing. */
  readonly clusterTemplateId: string | null;
}

const initial = {
  attributes: {},
  immutableAttributes: [],
  locked: {},
  deleted: false,
  revision: 0,
  createdAt: '',
  updatedAt: '',
};
export const initialClusterTemplate: ClusterTemplateState = { ...initial };
export const initialNodeGroupTemplate: NodeGroupTemplateState = { ...initial, clusterTemplateId: null };

export function evolveClusterTemplate(
  state: ClusterTemplateState,
  event: ClusterTemplateEvent,
  time: string,
): ClusterTemplateState {
  const s = { ...state, updatedAt: time, revision: state.revision + 1 };
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
      return state;
  }
}

export function evolveNodeGroupTemplate(
  state: NodeGroupTemplateState,
  event: NodeGroupTemplateEvent,
  time: string,
): NodeGroupTemplateState {
  const s = { ...state, updatedAt: time, revision: state.revision + 1 };
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
    case 'NodeGroupTemplateUpdated':
      return { ...s, ...event.data };
    case 'NodeGroupTemplateDeleted':
      return { ...s, deleted: true };
    default:
      return state;
  }
}
