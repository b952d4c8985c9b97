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

/** Appended with `no_stream`. */
export const createNodeGroupTemplate = (data: NodeGroupTemplateCreated['data']): Result =>
  accept({ type: 'NodeGroupTemplateCreated', data });

/** The attributes after a patch; other members of the patch are passed over. */
const patchedGroupAttributes = (attributes: NodeGroupAttributes, patch: TemplatePatch): NodeGroupAttributes =>
  nodeGroupAttributesOf(mergePatch(attributes, patch) as NodeGroupAttributesInput) as NodeGroupAttributes;

/**
 * As for cluster templates; `clusterTemplateId` is where it shall stand from now on: it has its name there already. What changes
 * nothing is no event.
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

/** What was made from it stays. */
export function deleteNodeGroupTemplate(state: NodeGroupTemplateState, ifMatch?: number): Result {
  const refusal = templateRefusal(what, state, ifMatch);
  return refusal ? refuse(refusal) : accept({ type: 'NodeGroupTemplateDeleted', data: {} });
}

/** It goes with its cluster template. Nothing when it has gone or left meanwhile. */
export function deleteWithClusterTemplate(state: NodeGroupTemplateState, clusterTemplateId: string): Result {
  const inside = state.created && !state.deleted && state.clusterTemplateId === clusterTemplateId;
  return inside ? accept({ type: 'NodeGroupTemplateDeleted', data: {} }) : accept();
}

/** Fails every move of it that was decided before: the process that moves it looks again whether its name is free there. */
export const abandonTemplateMove = (): NodeGroupTemplateEvent => ({ type: 'NodeGroupTemplateMoveAbandoned', data: {} });
