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

/** A merge patch: null leaves an attribute open, or takes a member of it away. */
export interface TemplatePatch {
  readonly immutableAttributes?: readonly string[] | null;
  readonly [attribute: string]: unknown;
}

/** What a change has to hold beside the template itself. */
export interface TemplateTerms<A> {
  readonly ifMatch?: number;
  /** What else speaks against what would come of it. */
  readonly problems?: (attributes: A) => readonly Problem[];
}

const what = 'the cluster template';

/** It and the node group templates inside it are one fact. Appended with `no_stream`. */
export const createClusterTemplate = (data: ClusterTemplateCreated['data']): Result =>
  accept({ type: 'ClusterTemplateCreated', data });

/** The attributes after a patch; other members of the patch are passed over. */
const patchedClusterAttributes = (attributes: ClusterAttributes, patch: TemplatePatch): ClusterAttributes =>
  clusterAttributesOf(mergePatch(attributes, patch) as ClusterAttributesInput) as ClusterAttributes;

/** Refused with everything that is bound by the template's source and that the result must not be. What changes nothing is no event. */
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

/** Those inside it go with it. */
export function deleteClusterTemplate(state: ClusterTemplateState, ifMatch?: number): Result {
  const refusal = templateRefusal(what, state, ifMatch);
  return refusal ? refuse(refusal) : accept({ type: 'ClusterTemplateDeleted', data: {} });
}
