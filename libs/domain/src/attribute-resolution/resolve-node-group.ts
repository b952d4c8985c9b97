import type { ClusterSpecification } from '../cluster/cluster-events.js';
import type { Problem } from '../kernel/decider.js';
import {
  defaultUpdateStrategy,
  specDuplicates,
  strategyProblems,
  type NodeGroupSpec,
} from '../node-group/node-group-spec.js';
import { nodeGroupAttributes, type NodeGroupAttributes } from './attributes.js';
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

export type NodeGroupLayer = Layer<NodeGroupSpec>;

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
  readonly cluster?: ClusterSpecification['defaults'];
  readonly driver?: { readonly image?: string };
}

export interface ResolvedGroup {
  readonly spec: NodeGroupSpec;
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
const builtIn: NodeGroupAttributes = {
  minCount: 0,
  zones: [],
  labels: {},
  taints: [],
  conductorGroup: null,
  options: {},
  updateStrategy: defaultUpdateStrategy,
};

function defaultLayers({ cluster = {}, driver = {} }: GroupDefaults): readonly NodeGroupLayer[] {
  return [
    { origin: { from: 'cluster-defaults' }, attributes: cluster, pointer: '/defaults' },
    { origin: { from: 'driver-defaults' }, attributes: driver, pointer: '' },
    { origin: { from: 'default' }, attributes: builtIn, pointer: '' },
  ];
}

/** Merges the given attributes, without defaults, as for a template. */
export function mergeNodeGroup(layers: readonly NodeGroupLayer[]) {
  const merged = mergeLayers(attributesOfGroups, layers);
  const at = pointersIn(layers, merged.origins);
  const strategy = strategyProblems(merged.values.updateStrategy, at('updateStrategy'));
  const own = [...countProblems(merged.values, at), ...strategy, ...duplicatesIn(layers)];
  return { ...merged, problems: [...merged.problems, ...own] };
}

/** Reports duplicates in the request. Sources are not checked. */
const duplicatesIn = (layers: readonly NodeGroupLayer[]): readonly Problem[] =>
  layers
    .filter(({ origin }) => origin.from === 'request')
    .flatMap(layer => specDuplicates(layer.attributes, attribute => pointerIn(layer, attribute)));

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
  const [top] = layers;
  const prefix = owner(layers);
  const { minCount = 0, count = Math.max(1, minCount), role, flavor } = values;
  const at = pointersIn(all, origins, top);
  const counted = countProblems({ ...values, count, minCount }, at, prefix);
  const strategy = strategyProblems(values.updateStrategy, at('updateStrategy'));
  const open = requiredIn(values).map(name => missing(name, top, prefix));
  const found = [...open, ...problems, ...counted, ...strategy, ...duplicatesIn(layers)];
  if (found.length > 0 || !role || !flavor) return { ok: false, problems: found };
  const { zones = [], labels = {}, taints = [], conductorGroup = null, options = {} } = values;
  const spec = { ...values, role, count, minCount, flavor, zones, labels, taints, conductorGroup, options };
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

const requiredIn = (values: NodeGroupAttributes): readonly string[] =>
  (['role', 'flavor'] as const).filter(name => values[name] === undefined);

function missing(name: string, top: NodeGroupLayer | undefined, prefix: string): Problem {
  const pointer = top ? pointerIn(top, name) : `/${name}`;
  return { pointer, code: 'required', detail: `${prefix}${name} is required` };
}

/** Returns the source that problems name, for a group that comes unchanged from it. */
function owner([top]: readonly NodeGroupLayer[]): string {
  return top?.origin.source ? `${named(top.origin.source)}: ` : '';
}

type PointerTo = (attribute: string) => string;

/** Returns the pointer to a value in the request: in the layer of the value, or in the first layer where it is missing. */
function pointersIn(layers: readonly NodeGroupLayer[], origins: Origins, top = layers[0]): PointerTo {
  return attribute => {
    const layer = layerOf(layers, origins[attribute]) ?? top;
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
  const above = minCount > maxCount;
  return [
    ...(above ? [problem('minCount', 'min-above-max', 'minCount is above maxCount')] : []),
    ...(!above && count !== undefined && count > maxCount
      ? [problem('count', 'above-max-count', 'count is above maxCount')]
      : []),
    ...(count !== undefined && count < minCount
      ? [problem('count', 'below-min-count', 'count is below minCount')]
      : []),
  ];
}
