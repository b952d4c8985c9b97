import { nodeGroupAutoscalingProblems } from '../autoscaling/node-group-autoscaling.js';
import type { Problem } from '../kernel/decider.js';
import { defaultUpdateStrategy, specDuplicates, strategyProblems } from '../node-group/node-group-spec.js';
import {
  nodeGroupAttributes,
  type NodeGroupAttributes,
  type WantedDefaults,
  type WantedNodeGroupSpec,
} from './attributes.js';
import {
  layerOf,
  mergeLayers,
  named,
  pointerIn,
  type Layer,
  type Marks,
  type Origins,
  type SourceRef,
} from './layers.js';

export type NodeGroupLayer = Layer<WantedNodeGroupSpec>;

/** The source of a node group or a node group template, in its current state. */
export interface NodeGroupSource {
  readonly ref: SourceRef;
  readonly attributes: NodeGroupAttributes;
  readonly marks: Marks;
  /** The driver of a node group. Its options have no meaning for another driver. */
  readonly driver?: string;
}

/** The defaults for attributes that request and sources leave open, nearest first. */
export interface GroupDefaults {
  readonly cluster?: WantedDefaults;
  readonly driver?: { readonly image?: string };
}

export interface ResolvedGroup {
  readonly spec: WantedNodeGroupSpec;
  readonly origins: Origins;
}

export type Resolved<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly problems: readonly Problem[] };

/** Returns the source as a layer. A problem with an attribute that another source overrides points to that source. */
export const sourceLayer = ({ ref, attributes, marks }: NodeGroupSource, pointer: string): NodeGroupLayer => ({
  origin: { from: 'source', source: ref },
  attributes,
  marks,
  pointer,
});

const attributesOfGroups = { names: nodeGroupAttributes, nullable: ['conductorGroup'] as const };
const builtIn = {
  minCount: 0,
  zones: [],
  labels: {},
  taints: [],
  conductorGroup: null,
  options: {},
  updateStrategy: defaultUpdateStrategy,
} satisfies NodeGroupAttributes;

function defaultLayers({ cluster = {}, driver = {} }: GroupDefaults): readonly NodeGroupLayer[] {
  return [
    { origin: { from: 'cluster-defaults' }, attributes: cluster, pointer: '/defaults' },
    { origin: { from: 'driver-defaults' }, attributes: driver, pointer: '' },
    { origin: { from: 'default' }, attributes: builtIn, pointer: '' },
  ];
}

/** Merges the given attributes, without defaults, as for a template. */
export function mergeNodeGroup(layers: readonly NodeGroupLayer[]) {
  const { values, origins, problems } = mergeLayers(attributesOfGroups, layers);
  const own = contradictions(values, layers, pointersIn(layers, origins));
  return { values, origins, problems: [...problems, ...own] };
}

/** Reports values that contradict each other, and duplicates in the request; sources are not checked for those. */
function contradictions(
  values: NodeGroupAttributes,
  layers: readonly NodeGroupLayer[],
  at: PointerTo,
  prefix?: string,
): readonly Problem[] {
  const requested = layers.filter(({ origin }) => origin.from === 'request');
  return [
    ...countProblems(values, at, prefix),
    ...strategyProblems(values.updateStrategy, at('updateStrategy')),
    ...requested.flatMap(layer => specDuplicates(layer.attributes, attribute => pointerIn(layer, attribute))),
  ];
}

/** Returns each immutable attribute with the nearest template that marked it. */
export const marksOf = (layers: readonly Pick<NodeGroupLayer, 'marks'>[]): Marks =>
  layers.reduceRight<Marks>((marks, layer) => ({ ...marks, ...layer.marks }), {});

/**
 * Returns the full specification of a node group with the origin of each value, or every value that is missing, immutable or
 * contradictory. The layer of the request comes first; missing values are reported there.
 */
export function resolveNodeGroup(layers: readonly NodeGroupLayer[], defaults: GroupDefaults): Resolved<ResolvedGroup> {
  const all = [...layers, ...defaultLayers(defaults)];
  const { values, origins, problems } = mergeLayers(attributesOfGroups, all);
  const { minCount = 0, count = Math.max(1, minCount), role, flavor } = values;
  const at = pointersIn(all, origins);
  const source = layers[0]?.origin.source;
  // names the source of a group that comes unchanged from it
  const prefix = source ? `${named(source)}: ` : '';
  const missing = (['role', 'flavor'] as const)
    .filter(name => values[name] === undefined)
    .map(name => ({ pointer: at(name), code: 'required', detail: `${prefix}${name} is required` }));
  const contradictory = contradictions({ ...values, count, minCount }, layers, at, prefix);
  const scaled = nodeGroupAutoscalingProblems(values, at('maxCount'), prefix);
  const found = [...missing, ...problems, ...contradictory, ...scaled];
  if (found.length > 0 || !role || !flavor) return { ok: false, problems: found };
  const spec = { ...builtIn, ...values, role, flavor, count, minCount };
  return { ok: true, spec, origins: { ...origins, count: origins['count'] ?? { from: 'default' } } };
}

/** Returns the values and origins of {@link resolveNodeGroup}, also where there are problems. */
export function outlineNodeGroup(
  layers: readonly NodeGroupLayer[],
  defaults: GroupDefaults,
): { readonly values: NodeGroupAttributes; readonly origins: Origins } {
  const { values, origins } = mergeLayers(attributesOfGroups, [...layers, ...defaultLayers(defaults)]);
  return { values, origins };
}

type PointerTo = (attribute: string) => string;

/** Returns the pointer to a value in the request: in the layer of the value, or in the first layer where it is missing. */
function pointersIn(layers: readonly NodeGroupLayer[], origins: Origins): PointerTo {
  return attribute => {
    const layer = layerOf(layers, origins[attribute]) ?? layers[0];
    return layer ? pointerIn(layer, attribute) : `/${attribute}`;
  };
}

/** Reports given bounds that contradict each other. `prefix` begins each detail. */
export function countProblems(
  { count, minCount = 0, maxCount = Infinity }: NodeGroupAttributes,
  at: PointerTo,
  prefix = '',
): readonly Problem[] {
  const problem = (attribute: string, code: string, detail: string): Problem => ({
    pointer: at(attribute),
    code,
    detail: `${prefix}${detail}`,
  });
  const isAboveMax = minCount <= maxCount && count !== undefined && count > maxCount;
  const isBelowMin = count !== undefined && count < minCount;
  return [
    ...(minCount > maxCount ? [problem('minCount', 'min-above-max', 'minCount is above maxCount')] : []),
    ...(isAboveMax ? [problem('count', 'above-max-count', 'count is above maxCount')] : []),
    ...(isBelowMin ? [problem('count', 'below-min-count', 'count is below minCount')] : []),
  ];
}
