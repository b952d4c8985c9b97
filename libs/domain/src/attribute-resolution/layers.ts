import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../kernel/decider.js';

type SourceType = 'cluster' | 'clusterTemplate' | 'nodeGroup' | 'nodeGroupTemplate';

/** The source that a resource was created from, with its name at that time. It may be deleted since. */
export interface SourceRef {
  readonly type: SourceType;
  readonly id: string;
  readonly name: string;
}

/** The origin of a value. */
export interface Origin {
  readonly from: 'request' | 'source' | 'cluster-defaults' | 'driver-defaults' | 'default';
  /** Present when the value came from a source. */
  readonly source?: SourceRef;
}

export type Origins = Readonly<Record<string, Origin>>;
/** The template that made each attribute immutable: a resource created from it may not set another value. */
export type Marks = Readonly<Record<string, SourceRef>>;

/** A source of values: the request, a template or resource, or defaults. */
export interface Layer<A> {
  readonly origin: Origin;
  /** null leaves an attribute open: the sources below are skipped. */
  readonly attributes: { readonly [K in keyof A]?: A[K] | null };
  readonly marks?: Marks;
  /** The pointer to its attributes in the request: one for each, or one for all. */
  readonly pointer: string | ((attribute: string) => string);
}

export interface Merged<A> {
  readonly values: Partial<A>;
  readonly origins: Origins;
  readonly problems: readonly Problem[];
}

/** `nullable`: attributes for which null is a value. */
interface Attributes<A> {
  readonly names: readonly (keyof A & string)[];
  readonly nullable: readonly (keyof A & string)[];
}

export const pointerIn = <A>({ pointer }: Pick<Layer<A>, 'pointer'>, attribute: string): string =>
  typeof pointer === 'string' ? pointer : pointer(attribute);

/** Returns the layer that a value came from; undefined for a layer that is not part of the request. */
export const layerOf = <A>(layers: readonly Layer<A>[], origin: Origin | undefined): Layer<A> | undefined =>
  layers.find(layer => layer.origin === origin && layer.pointer !== '');

/**
 * Returns the value of each attribute from the first layer that has one, with its origin. A mark in a layer binds all layers before it:
 * another value there is a problem, with the pointer to that value.
 */
export function mergeLayers<A>({ names, nullable }: Attributes<A>, layers: readonly Layer<A>[]): Merged<A> {
  const values: { -readonly [K in keyof A]?: A[K] } = {};
  const origins: Record<string, Origin> = {};
  for (const name of names) {
    const found = firstOf(name, layers, nullable.includes(name));
    if (!found) continue;
    values[name] = found.value;
    origins[name] = found.origin;
  }
  return { values, origins, problems: names.flatMap(name => overridden(name, layers)) };
}

function firstOf<A, K extends keyof A & string>(
  name: K,
  layers: readonly Layer<A>[],
  nullIsValue: boolean,
): { readonly value: A[K]; readonly origin: Origin } | undefined {
  let opened = false;
  for (const { attributes, origin } of layers) {
    if (opened && origin.from === 'source') continue;
    const value = attributes[name];
    if (value === undefined) continue;
    if (value === null && !nullIsValue) opened = true;
    else return { value: value as A[K], origin };
  }
  return undefined;
}

/** Reports the attribute for each layer that binds it while an earlier layer has another value. */
function overridden<A>(name: keyof A & string, layers: readonly Layer<A>[]): readonly Problem[] {
  const problems = new Map<string, Problem>();
  layers.forEach(({ marks, attributes: bound }, i) => {
    const by = marks?.[name];
    const over = layers.slice(0, i).find(({ attributes }) => attributes[name] !== undefined);
    if (!by || !over || isDeepStrictEqual(over.attributes[name], bound[name] ?? null)) return;
    const pointer = pointerIn(over, name);
    problems.set(pointer, immutableIn(name, by, pointer));
  });
  return [...problems.values()];
}

const kinds: Readonly<Record<SourceType, string>> = {
  cluster: 'cluster',
  clusterTemplate: 'cluster template',
  nodeGroup: 'node group',
  nodeGroupTemplate: 'node group template',
};

/** Returns the type and name of a source for messages, such as `node group template web`. */
export const named = ({ type, name }: SourceRef): string => `${kinds[type]} ${name}`;

/**
 * Returns problems within the value of an attribute as problems of the request. Their pointers continue that of the attribute in the
 * request; where the value came from a source, they point to the source and the details name it.
 */
export function problemsWithin<A>(
  layers: readonly Layer<A>[],
  origins: Origins,
  attribute: string,
  problems: readonly Problem[],
): readonly Problem[] {
  const layer = layerOf(layers, origins[attribute]) ?? layers[0];
  if (typeof layer?.pointer !== 'string') {
    const base = layer ? pointerIn(layer, attribute) : `/${attribute}`;
    return problems.map(problem => ({ ...problem, pointer: `${base}${problem.pointer}` }));
  }
  const { pointer, origin } = layer;
  const owner = origin.source ? `${named(origin.source)}: ` : '';
  return problems.map(p => ({ ...p, pointer, detail: `${owner}${attribute}${p.pointer}: ${p.detail}` }));
}

/** Returns the problem of a request that sets an attribute which a template has marked immutable. */
export const immutableIn = (attribute: string, by: SourceRef, pointer: string): Problem => ({
  pointer,
  code: 'immutable-attribute',
  detail: `${attribute} is immutable in ${named(by)}`,
});
