import { isDeepStrictEqual } from 'node:util';
import {
  nodeGroupAttributesOf,
  type NodeGroupAttributes,
  type NodeGroupAttributesInput,
} from '../attribute-resolution/attributes.js';
import { accept, refuse, type Decision } from '../kernel/decider.js';
import { mergePatch } from '../kernel/merge-patch.js';
import { brokenRules } from '../kernel/refusal.js';
import type { TemplatePatch, TemplateTerms } from './cluster-template-decider.js';
import type { NodeGroupTemplateCreated, NodeGroupTemplateEvent } from './template-events.js';
import { groupContentProblems, immutabilityProblems, normalizedMarks, templateRefusal } from './template-rules.js';
import type { NodeGroupTemplateState } from './template-state.js';

type Result = Decision<NodeGroupTemplateEvent>;

const what = 'the node group template';

/** Creates a node group template. The event is appended with `no_stream`. */
export const createNodeGroupTemplate = (data: NodeGroupTemplateCreated['data']): Result =>
  accept({ type: 'NodeGroupTemplateCreated', data });

/** Returns the attributes after a patch; other members of the patch are ignored. */
const patchedGroupAttributes = (attributes: NodeGroupAttributes, patch: TemplatePatch): NodeGroupAttributes =>
  nodeGroupAttributesOf(mergePatch(attributes, patch) as NodeGroupAttributesInput) as NodeGroupAttributes;

/**
 * Updates the template like a cluster template. `clusterTemplateId` is the cluster template that it moves to, where its name is reserved
 * already. A patch without effect results in no event.
 */
export function updateNodeGroupTemplate(
  state: NodeGroupTemplateState,
  patch: TemplatePatch & { readonly clusterTemplateId?: string | null },
  { ifMatch, problems: more = () => [] }: TemplateTerms<NodeGroupAttributes> = {},
): Result {
  const refusal = templateRefusal(what, state, ifMatch);
  if (refusal) return refuse(refusal);
  const { attributes: before, immutableAttributes: marked, clusterTemplateId: parent, locked } = state;
  const asked = patch.immutableAttributes === null ? [] : patch.immutableAttributes;
  const attributes = patchedGroupAttributes(before, patch);
  const immutableAttributes = asked ? normalizedMarks(asked, locked) : marked;
  const { clusterTemplateId = parent } = patch;
  const own = [...immutabilityProblems(state, attributes, asked), ...groupContentProblems(attributes)];
  const problems = [...own, ...more(attributes)];
  if (problems.length > 0) return refuse(brokenRules(problems));
  if (isDeepStrictEqual([attributes, immutableAttributes, clusterTemplateId], [before, marked, parent]))
    return accept();
  return accept({ type: 'NodeGroupTemplateUpdated', data: { attributes, immutableAttributes, clusterTemplateId } });
}

/** Deletes the template. Node groups that were created from it stay. */
export function deleteNodeGroupTemplate(state: NodeGroupTemplateState, ifMatch?: number): Result {
  const refusal = templateRefusal(what, state, ifMatch);
  return refusal ? refuse(refusal) : accept({ type: 'NodeGroupTemplateDeleted', data: {} });
}

/** Deletes the template with its cluster template. No event follows when it was deleted or moved meanwhile. */
export function deleteWithClusterTemplate(state: NodeGroupTemplateState, clusterTemplateId: string): Result {
  const inside = state.created && !state.deleted && state.clusterTemplateId === clusterTemplateId;
  return inside ? accept({ type: 'NodeGroupTemplateDeleted', data: {} }) : accept();
}

/** Abandons every move that was decided before. The process that moves the template must reserve the name again. */
export const abandonTemplateMove = (): NodeGroupTemplateEvent => ({ type: 'NodeGroupTemplateMoveAbandoned', data: {} });
