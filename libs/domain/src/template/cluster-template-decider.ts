import { isDeepStrictEqual } from 'node:util';
import {
  clusterAttributesOf,
  type ClusterAttributes,
  type ClusterAttributesInput,
} from '../attribute-resolution/attributes.js';
import { accept, refuse, type Decision } from '../kernel/decider.js';
import { mergePatch } from '../kernel/merge-patch.js';
import { brokenRules, type Problem } from '../kernel/refusal.js';
import type { ClusterTemplateCreated, ClusterTemplateEvent } from './template-events.js';
import { clusterContentProblems, immutabilityProblems, normalizedMarks, templateRefusal } from './template-rules.js';
import type { ClusterTemplateState } from './template-state.js';

type Result = Decision<ClusterTemplateEvent>;

/** A JSON merge patch: null removes an attribute or a member of one. */
export interface TemplatePatch {
  readonly immutableAttributes?: readonly string[] | null;
  readonly [attribute: string]: unknown;
}

/** Further conditions of a change of a template. */
export interface TemplateTerms<A> {
  readonly ifMatch?: number;
  /** Returns further problems of the resulting attributes. */
  readonly problems?: (attributes: A) => readonly Problem[];
}

const what = 'the cluster template';

/** Creates a cluster template together with the node group templates in it. The event is appended with `no_stream`. */
export const createClusterTemplate = (data: ClusterTemplateCreated['data']): Result =>
  accept({ type: 'ClusterTemplateCreated', data });

/** Returns the attributes after a patch; other members of the patch are ignored. */
const patchedClusterAttributes = (attributes: ClusterAttributes, patch: TemplatePatch): ClusterAttributes =>
  clusterAttributesOf(mergePatch(attributes, patch) as ClusterAttributesInput) as ClusterAttributes;

/**
 * Updates the template, or refuses with every attribute that its source has marked immutable and every broken rule. A patch without
 * effect results in no event.
 */
export function updateClusterTemplate(
  state: ClusterTemplateState,
  patch: TemplatePatch,
  { ifMatch, problems: more = () => [] }: TemplateTerms<ClusterAttributes> = {},
): Result {
  const refusal = templateRefusal(what, state, ifMatch);
  if (refusal) return refuse(refusal);
  const asked = patch.immutableAttributes === null ? [] : patch.immutableAttributes;
  const attributes = patchedClusterAttributes(state.attributes, patch);
  const immutableAttributes = asked ? normalizedMarks(asked, state.locked) : state.immutableAttributes;
  const own = [...immutabilityProblems(state, attributes, asked), ...clusterContentProblems(attributes)];
  const problems = [...own, ...more(attributes)];
  if (problems.length > 0) return refuse(brokenRules(problems));
  const { attributes: before, immutableAttributes: marked } = state;
  if (isDeepStrictEqual([attributes, immutableAttributes], [before, marked])) return accept();
  return accept({ type: 'ClusterTemplateUpdated', data: { attributes, immutableAttributes } });
}

/** Deletes the cluster template. The node group templates in it are deleted too. */
export function deleteClusterTemplate(state: ClusterTemplateState, ifMatch?: number): Result {
  const refusal = templateRefusal(what, state, ifMatch);
  return refusal ? refuse(refusal) : accept({ type: 'ClusterTemplateDeleted', data: {} });
}
