import type { ResourceDocument } from '@stave/contracts';
import {
  immutableAttributesOf,
  type ClusterTemplateState,
  type NodeGroupTemplateState,
  type TemplateState,
} from '@stave/domain';
import type { StoredDocument } from '@stave/platform';
import type { TemplateProjection } from './template.projection.js';

type Document = StoredDocument & { readonly position: number };

interface Identity {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
}

/** Attributes that are open are not there. */
function fields<A extends object>(identity: Identity, state: TemplateState<A>, more: object): ResourceDocument {
  const { id, name, projectId } = identity;
  return {
    id,
    name,
    projectId,
    ...state.attributes,
    ...more,
    immutableAttributes: immutableAttributesOf(state),
    locked: state.locked,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    revision: state.revision,
  };
}

/** What clients see of a cluster template that its own events say. */
export function clusterTemplateFields(state: ClusterTemplateState): ResourceDocument {
  if (!state.created) throw new Error('a cluster template that was not created has no document');
  return fields(state.created, state, {});
}

/** What clients see of a node group template. */
export function groupTemplateFields(state: NodeGroupTemplateState): ResourceDocument {
  if (!state.created) throw new Error('a node group template that was not created has no document');
  return fields(state.created, state, { clusterTemplateId: state.clusterTemplateId });
}

/** As a list of what is inside shows it. */
export const shownInside = ({ id, name }: Omit<Identity, 'projectId'>): Omit<Identity, 'projectId'> => ({ id, name });

/** With those inside it, which change it without changing its revision. */
export function clusterTemplateDocument(projection: TemplateProjection, id: string): Document | undefined {
  const entry = projection.clusterTemplates.entry(id);
  if (!entry?.state.created) return undefined;
  const position = Math.max(entry.position, projection.positionOfGroups(id));
  if (entry.state.deleted) return { _id: id, deleted: true, position };
  const nodeGroupTemplates = projection
    .inside(id)
    .flatMap(([, { created }]) => (created ? [shownInside(created)] : []));
  return { _id: id, deleted: false, position, ...clusterTemplateFields(entry.state), nodeGroupTemplates };
}
