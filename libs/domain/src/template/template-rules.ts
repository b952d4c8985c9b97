import { isDeepStrictEqual } from 'node:util';
import type { ClusterAttributes, NodeGroupAttributes } from '../attribute-resolution/attributes.js';
import { immutableIn, named, type Marks } from '../attribute-resolution/layers.js';
import { countProblems } from '../attribute-resolution/resolve-node-group.js';
import { labelProblems } from '../kernel/merge-labels.js';
import { notFound, revisionMismatch, type Problem, type Refusal } from '../kernel/refusal.js';
import { specDuplicates } from '../node-group/spec-duplicates.js';
import { strategyProblems } from '../node-group/update-strategy.js';
import type { TemplateContents } from './template-events.js';
import type { TemplateState } from './template-state.js';

/** The size limit of all attributes of one template together, as JSON. */
const MAX_TEMPLATE_CHARACTERS = 262_144;

/** Returns why the template cannot be changed, or undefined when it can. */
export function templateRefusal(
  what: string,
  { created, deleted, revision }: TemplateState<unknown> & { readonly created?: unknown },
  ifMatch?: number,
): Refusal | undefined {
  if (!created || deleted) return notFound(what);
  return ifMatch !== undefined && ifMatch !== revision ? revisionMismatch(ifMatch, revision) : undefined;
}

/** Returns the template's own marks, without duplicates and sorted. */
export const normalizedMarks = (asked: readonly string[], locked: Marks): readonly string[] =>
  [...new Set(asked)].filter(name => !Object.hasOwn(locked, name)).sort();

/** Returns every immutable attribute with the template that marked it. */
export const immutableAttributesOf = ({
  immutableAttributes,
  locked,
}: Pick<TemplateContents<unknown>, 'immutableAttributes' | 'locked'>): readonly string[] =>
  [...immutableAttributes, ...Object.keys(locked)].sort();

/** Reports attributes that the source has marked immutable and that were changed or are missing in the requested marks. */
export function immutabilityProblems<A extends object>(
  { attributes: before, locked }: TemplateContents<A>,
  after: A,
  asked: readonly string[] | undefined,
): readonly Problem[] {
  const valueOf = (attributes: A, name: string): unknown => new Map(Object.entries(attributes)).get(name);
  return Object.entries(locked).flatMap(([name, by]) => {
    const changed = !isDeepStrictEqual(valueOf(before, name), valueOf(after, name));
    const lifted = asked !== undefined && !asked.includes(name);
    const detail = `${name} is immutable in ${named(by)}, and the mark is not lifted here`;
    return [
      ...(changed ? [immutableIn(name, by, `/${name}`)] : []),
      ...(lifted ? [{ pointer: '/immutableAttributes', code: 'immutable-attribute', detail }] : []),
    ];
  });
}

/** Returns the problems that patches and sources can cause although each of their members is valid. */
export function clusterContentProblems(attributes: ClusterAttributes): readonly Problem[] {
  return [
    ...labelProblems(attributes.labels),
    ...flavorProblems(attributes.defaults?.flavor, '/defaults/flavor'),
    ...specDuplicates(attributes.defaults ?? {}, attribute => `/defaults/${attribute}`),
    ...sizeProblems(attributes),
  ];
}

/** The same for node group templates. */
export function groupContentProblems(attributes: NodeGroupAttributes): readonly Problem[] {
  return [
    ...labelProblems(attributes.labels),
    ...flavorProblems(attributes.flavor, '/flavor'),
    ...countProblems(attributes, attribute => `/${attribute}`),
    ...strategyProblems(attributes.updateStrategy, '/updateStrategy'),
    ...specDuplicates(attributes, attribute => `/${attribute}`),
    ...sizeProblems(attributes),
  ];
}

function flavorProblems(flavor: object | undefined, pointer: string): readonly Problem[] {
  const missing = ['cpus', 'memoryMb'].filter(member => flavor && !(member in flavor));
  const detail = (member: string): string => `a flavor needs ${member}`;
  return missing.map(member => ({ pointer: `${pointer}/${member}`, code: 'required', detail: detail(member) }));
}

function sizeProblems(attributes: object): readonly Problem[] {
  const size = JSON.stringify(attributes).length;
  if (size <= MAX_TEMPLATE_CHARACTERS) return [];
  const detail = `the template has ${size} characters; at most ${MAX_TEMPLATE_CHARACTERS} are allowed`;
  return [{ pointer: '', code: 'too-large', detail }];
}
