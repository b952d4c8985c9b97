import { isDeepStrictEqual } from 'node:util';
import {
  clusterAttributesOf,
  nodeGroupAttributesOf,
  type ClusterAttributes,
  type NodeGroupAttributes,
} from '../attribute-resolution/attributes.js';
import {
  accept,
  acceptUnless,
  brokenRules,
  existenceRefusal,
  refuse,
  type Decision,
  type Problem,
  type Refusal,
} from '../kernel/decider.js';
import { mergePatch } from '../kernel/json.js';
import {
  clusterContentProblems,
  groupContentProblems,
  immutabilityProblems,
  normalizedMarks,
  type TemplateContents,
} from './template-rules.js';
import type {
  ClusterTemplateCreated,
  ClusterTemplateEvent,
  ClusterTemplateState,
  NodeGroupTemplateCreated,
  NodeGroupTemplateEvent,
  NodeGroupTemplateState,
} from './template-state.js';

/** A JSON merge patch: null removes an attribute or a member of one. */
export interface TemplatePatch {
  readonly immutableAttributes?: readonly string[] | null;
  readonly [attribute: string]: unknown;
}

interface TemplateTerms<A> {
  readonly ifMatch?: number;
  /** Returns further problems of the resulting attributes. */
  readonly problems?: (attributes: A) => readonly Problem[];
}

interface TemplateKind<A> {
  readonly what: string;
  /** Returns the attributes among the members of a patched template. */
  readonly attributesOf: (patched: object) => A;
  readonly problems: (attributes: A) => readonly Problem[];
}

const clusterTemplates: TemplateKind<ClusterAttributes> = {
  what: 'the cluster template',
  attributesOf: patched => clusterAttributesOf(patched) as ClusterAttributes,
  problems: clusterContentProblems,
};
const nodeGroupTemplates: TemplateKind<NodeGroupAttributes> = {
  what: 'the node group template',
  attributesOf: patched => nodeGroupAttributesOf(patched) as NodeGroupAttributes,
  problems: groupContentProblems,
};

/** Applies a patch, or returns the refusal with every attribute that the source has marked immutable and every broken rule. */
function patchedContents<A extends object>(
  { what, attributesOf, problems: own }: TemplateKind<A>,
  state: TemplateContents<A> & Parameters<typeof existenceRefusal>[1],
  patch: TemplatePatch,
  { ifMatch, problems: further = () => [] }: TemplateTerms<A>,
): { readonly refusal: Refusal } | (Omit<TemplateContents<A>, 'locked'> & { readonly refusal?: undefined }) {
  const refusal = existenceRefusal(what, state, ifMatch);
  if (refusal) return { refusal };
  const marks = patch.immutableAttributes === null ? [] : patch.immutableAttributes;
  const attributes = attributesOf(mergePatch(state.attributes, patch) as object);
  const problems = [...immutabilityProblems(state, attributes, marks), ...own(attributes), ...further(attributes)];
  if (problems.length > 0) return { refusal: brokenRules(problems) };
  return { attributes, immutableAttributes: marks ? normalizedMarks(marks, state.locked) : state.immutableAttributes };
}

/** Creates a cluster template together with the node group templates in it. The event is appended with `no_stream`. */
export const createClusterTemplate = (data: ClusterTemplateCreated['data']): Decision<ClusterTemplateEvent> =>
  accept({ type: 'ClusterTemplateCreated', data });

/**
 * Updates the template, or refuses with every attribute that its source has marked immutable and every broken rule. A patch without
 * effect results in no event.
 */
export function updateClusterTemplate(
  state: ClusterTemplateState,
  patch: TemplatePatch,
  terms: TemplateTerms<ClusterAttributes> = {},
): Decision<ClusterTemplateEvent> {
  const contents = patchedContents(clusterTemplates, state, patch, terms);
  if (contents.refusal) return refuse(contents.refusal);
  const { attributes, immutableAttributes } = state;
  if (isDeepStrictEqual(contents, { attributes, immutableAttributes })) return accept();
  return accept({ type: 'ClusterTemplateUpdated', data: contents });
}

/** Deletes the cluster template. The node group templates in it are deleted too. */
export const deleteClusterTemplate = (state: ClusterTemplateState, ifMatch?: number): Decision<ClusterTemplateEvent> =>
  acceptUnless(existenceRefusal(clusterTemplates.what, state, ifMatch), { type: 'ClusterTemplateDeleted', data: {} });

export const createNodeGroupTemplate = (data: NodeGroupTemplateCreated['data']): Decision<NodeGroupTemplateEvent> =>
  accept({ type: 'NodeGroupTemplateCreated', data });

/**
 * Updates the template like a cluster template. `clusterTemplateId` is the cluster template that it moves to, where its name is reserved
 * already. A patch without effect results in no event.
 */
export function updateNodeGroupTemplate(
  state: NodeGroupTemplateState,
  patch: TemplatePatch & { readonly clusterTemplateId?: string | null },
  terms: TemplateTerms<NodeGroupAttributes> = {},
): Decision<NodeGroupTemplateEvent> {
  const contents = patchedContents(nodeGroupTemplates, state, patch, terms);
  if (contents.refusal) return refuse(contents.refusal);
  const { attributes, immutableAttributes, clusterTemplateId } = state;
  const { clusterTemplateId: target = clusterTemplateId } = patch;
  const data = { ...contents, clusterTemplateId: target };
  if (isDeepStrictEqual(data, { attributes, immutableAttributes, clusterTemplateId })) return accept();
  return accept({ type: 'NodeGroupTemplateUpdated', data });
}

const deleted: NodeGroupTemplateEvent = { type: 'NodeGroupTemplateDeleted', data: {} };

/** Deletes the template. Node groups that were created from it stay. */
export const deleteNodeGroupTemplate = (
  state: NodeGroupTemplateState,
  ifMatch?: number,
): Decision<NodeGroupTemplateEvent> => acceptUnless(existenceRefusal(nodeGroupTemplates.what, state, ifMatch), deleted);

/** Deletes the template with its cluster template. No event follows when it was deleted or moved meanwhile. */
export function deleteWithClusterTemplate(
  state: NodeGroupTemplateState,
  clusterTemplateId: string,
): Decision<NodeGroupTemplateEvent> {
  const inside = !state.deleted && state.clusterTemplateId === clusterTemplateId;
  return inside ? accept(deleted) : accept();
}

/** Abandons every move that was decided before. The process that moves the template must reserve the name again. */
export const abandonTemplateMove = (): NodeGroupTemplateEvent => ({ type: 'NodeGroupTemplateMoveAbandoned', data: {} });
