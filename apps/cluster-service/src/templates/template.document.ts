import type { ResourceDocument } from '@stave/contracts';
import {
  immutableAttributesOf,
  type ClusterTemplateState,
  type NodeGroupTemplateState,
  type TemplateState,
} from '@stave/domain';
import type { TemplateProjection } from './template.projection.js';

interface Identity {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
}

/** Returns the fields of a template. Open attributes are absent. */
function fields<A extends object>(created: Identity, state: TemplateState<A>): ResourceDocument {
  const { id, name, projectId } = created;
  const { attributes, locked, createdAt, updatedAt, revision } = state;
  const immutableAttributes = immutableAttributesOf(state);
  return { id, name, projectId, ...attributes, immutableAttributes, locked, createdAt, updatedAt, revision };
}

/** Returns the fields of a cluster template that follow from its own stream. */
export const clusterTemplateFields = (state: ClusterTemplateState): ResourceDocument => fields(state.created, state);

/** Returns the fields of a node group template. */
export const groupTemplateFields = (state: NodeGroupTemplateState): ResourceDocument => ({
  ...fields(state.created, state),
  clusterTemplateId: state.clusterTemplateId,
});

/** Returns the cluster template with the node group templates inside, whose changes do not change its revision. */
export const withGroups = (
  state: ClusterTemplateState,
  groups: readonly Pick<Identity, 'id' | 'name'>[],
): ResourceDocument => ({
  ...clusterTemplateFields(state),
  nodeGroupTemplates: groups.map(({ id, name }) => ({ id, name })),
});

export const clusterTemplateDocument = (
  projection: TemplateProjection,
  state: ClusterTemplateState,
): ResourceDocument =>
  withGroups(
    state,
    projection.inside(state.created.id).map(([, { created }]) => created),
  );
