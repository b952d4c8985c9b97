import { isDeepStrictEqual } from 'node:util';
import type { ClusterAttributes, NodeGroupAttributes } from '../attribute-resolution/attributes.js';
import { immutableIn, named, type Marks } from '../attribute-resolution/layers.js';
import { countProblems } from '../attribute-resolution/resolve-node-group.js';
import type { Problem } from '../kernel/decider.js';
import { labelProblems } from '../kernel/merge-labels.js';
import { specDuplicates, strategyProblems, wantedFlavorProblems } from '../node-group/node-group-spec.js';

/** The contents of a template. Absent attributes are open. */
export interface TemplateContents<A> {
  readonly attributes: A;
  /** Attributes that this template marked immutable. */
  readonly immutableAttributes: readonly string[];
  /** Attributes that its source marked immutable; they cannot be changed or unmarked here. */
  readonly locked: Marks;
}

/** The size limit of all attributes of one template together, as JSON. */
const MAX_TEMPLATE_CHARACTERS = 262_144;

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
    ...wantedFlavorProblems(attributes.defaults?.flavor, '/defaults/flavor'),
    ...specDuplicates(attributes.defaults ?? {}, attribute => `/defaults/${attribute}`),
    ...sizeProblems(attributes),
  ];
}

export function groupContentProblems(attributes: NodeGroupAttributes): readonly Problem[] {
  return [
    ...labelProblems(attributes.labels),
    ...wantedFlavorProblems(attributes.flavor, '/flavor'),
    ...countProblems(attributes, attribute => `/${attribute}`),
    ...strategyProblems(attributes.updateStrategy, '/updateStrategy'),
    ...specDuplicates(attributes, attribute => `/${attribute}`),
    ...sizeProblems(attributes),
  ];
}

function sizeProblems(attributes: object): readonly Problem[] {
  const size = JSON.stringify(attributes).length;
  if (size <= MAX_TEMPLATE_CHARACTERS) return [];
  const detail = `the template has ${size} characters; at most ${MAX_TEMPLATE_CHARACTERS} are allowed`;
  return [{ pointer: '', code: 'too-large', detail }];
}
