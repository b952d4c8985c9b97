import { isDeepStrictEqual } from 'node:util';
import { nodeGroupAttributes, type NodeGroupAttribute, type NodeGroupAttributes } from './attributes.js';
import type { Marks, Origin, SourceRef } from './layers.js';
import { resolveNodeGroup, sourceLayer, type NodeGroupLayer } from './resolve-node-group.js';

/** Three values of each attribute that no default has, and that go with what else is given. */
const samples: Readonly<Record<NodeGroupAttribute, readonly unknown[]>> = {
  role: ['worker', 'manager', 'worker'],
  count: [5, 6, 7],
  minCount: [1, 2, 3],
  maxCount: [20, 30, 40],
  flavor: [1, 2, 3].map(cpus => ({ cpus, memoryMb: 512 })),
  image: ['one', 'two', 'three'],
  dataVolumeGb: [10, 20, 30],
  volumes: ['x', 'y', 'z'].map(name => [{ name, sizeGb: 5, mountPath: `/${name}` }]),
  zones: ['a', 'b', 'c'].map(name => [{ name }]),
  labels: ['x', 'y', 'z'].map(tier => ({ tier })),
  taints: ['x', 'y', 'z'].map(key => [{ key, effect: 'NoSchedule' }]),
  conductorGroup: ['north', 'south', 'east'],
  options: [1, 2, 3].map(size => ({ size })),
  updateStrategy: [1, 2, 3].map(maxSurge => ({ maxSurge })),
  autoscaling: [1, 2, 3].map(priority => ({ priority })),
  machineSelector: ['x', 'y', 'z'].map(rack => ({ rack })),
};
const clusterHas: readonly string[] = ['flavor', 'image', 'dataVolumeGb', 'zones'];
const openDefaults: Readonly<Record<string, unknown>> = {
  minCount: 0,
  zones: [],
  labels: {},
  taints: [],
  conductorGroup: null,
  options: {},
  updateStrategy: { maxSurge: 1, maxUnavailable: 0 },
};

const template: SourceRef = { type: 'nodeGroupTemplate', id: 't', name: 'tall' };
const group: SourceRef = { type: 'nodeGroup', id: 'g', name: 'green' };
const below: SourceRef = { type: 'nodeGroupTemplate', id: 'b', name: 'base' };

interface Case {
  readonly attribute: NodeGroupAttribute;
  readonly request: 'open' | 'first' | 'second' | 'null';
  readonly source: 'none' | 'group' | 'template' | 'template, open';
  readonly marked: boolean;
  readonly under: 'none' | 'there' | 'open';
  readonly underMarked: boolean;
  readonly cluster: boolean;
  readonly driver: boolean;
}

const both = [false, true];
const dimensions: { readonly [K in keyof Case]: readonly Case[K][] } = {
  attribute: nodeGroupAttributes,
  request: ['open', 'first', 'second', 'null'],
  source: ['none', 'group', 'template', 'template, open'],
  marked: both,
  under: ['none', 'there', 'open'],
  underMarked: both,
  cluster: both,
  driver: both,
};

/** Only templates mark; only some attributes have defaults of the cluster or the driver. */
const possible = (c: Case): boolean =>
  (!c.marked || c.source.startsWith('template')) &&
  (!c.underMarked || c.under !== 'none') &&
  (!c.cluster || clusterHas.includes(c.attribute)) &&
  (!c.driver || c.attribute === 'image');

const cases = (): readonly Case[] =>
  Object.entries(dimensions)
    .reduce<object[]>((some, [name, values]) => some.flatMap(c => values.map(value => ({ ...c, [name]: value }))), [{}])
    .map(c => c as Case)
    .filter(possible);

/** What the request, the source and the one under it say; undefined: nothing. */
function said({ attribute, request, source, under }: Case) {
  const [first, second] = samples[attribute];
  return {
    request: { open: undefined, first, second, null: null }[request],
    source: { none: undefined, group: first, template: first, 'template, open': undefined }[source],
    under: { none: undefined, there: second, open: undefined }[under],
  };
}

interface Expected {
  readonly value?: unknown;
  readonly origin?: Origin;
  readonly codes: readonly string[];
}

/** The rules as the specification says them, one after the other, for one attribute. */
function expected(c: Case): Expected {
  const { request, source, under } = said(c);
  const isNullValue = c.attribute === 'conductorGroup';
  const differs = (over: unknown, bound: unknown): boolean =>
    over !== undefined && !isDeepStrictEqual(over, bound ?? null);
  const overridden = new Set<string>();
  if (c.marked && differs(request, source)) overridden.add('request');
  if (c.underMarked && differs(request ?? (request === null ? null : source), under))
    overridden.add(request === undefined ? 'source' : 'request');
  const codes = [...overridden].map(() => 'immutable-attribute');
  const answer = (value: unknown, origin: Origin): Expected => ({ value, origin, codes });
  if (request !== undefined && (request !== null || isNullValue)) return answer(request, { from: 'request' });
  const closed = request === null;
  if (!closed && source !== undefined)
    return answer(source, { from: 'source', source: c.source === 'group' ? group : template });
  if (!closed && under !== undefined) return answer(under, { from: 'source', source: below });
  if (c.cluster) return answer(samples[c.attribute][2], { from: 'cluster-defaults' });
  if (c.driver) return answer('of the driver', { from: 'driver-defaults' });
  if (c.attribute === 'role' || c.attribute === 'flavor') return { codes: ['required', ...codes] };
  if (c.attribute === 'count') return answer(1, { from: 'default' });
  if (c.attribute in openDefaults) return answer(openDefaults[c.attribute], { from: 'default' });
  return { codes };
}

/** Everything else that is needed, from the request. */
function layersOf(c: Case): readonly NodeGroupLayer[] {
  const { request, source, under } = said(c);
  const one = (value: unknown): NodeGroupAttributes => (value === undefined ? {} : { [c.attribute]: value });
  const marks = (ref: SourceRef, marked: boolean): Marks => (marked ? { [c.attribute]: ref } : {});
  const rest: NodeGroupAttributes = { role: 'worker', flavor: { cpus: 1, memoryMb: 512 } };
  const { [c.attribute as 'role']: _own, ...needed } = rest;
  const attributes = { ...needed, ...one(request) };
  return [
    { origin: { from: 'request' }, attributes, pointer: attribute => `/nodeGroups/0/${attribute}` },
    ...(c.source === 'none'
      ? []
      : [
          sourceLayer(
            { ref: c.source === 'group' ? group : template, attributes: one(source), marks: marks(template, c.marked) },
            '/nodeGroups/0/from',
          ),
        ]),
    ...(c.under === 'none'
      ? []
      : [sourceLayer({ ref: below, attributes: one(under), marks: marks(below, c.underMarked) }, '/from')]),
  ];
}

function played(c: Case): Expected {
  const result = resolveNodeGroup(layersOf(c), {
    ...(c.cluster ? { cluster: { [c.attribute]: samples[c.attribute][2] } } : {}),
    ...(c.driver ? { driver: { image: 'of the driver' } } : {}),
  });
  if (!result.ok) return { codes: result.problems.map(p => p.code) };
  const value: unknown = result.spec[c.attribute];
  const origin = result.origins[c.attribute];
  return { codes: [], ...(value === undefined ? {} : { value }), ...(origin ? { origin } : {}) };
}

it('each attribute is resolved for every combination of source, override, immutable mark and missing value', () => {
  const seen = { cases: 0, refused: 0 };
  for (const c of cases()) {
    const wanted = expected(c);
    const refused = wanted.codes.length > 0;
    seen.cases += 1;
    seen.refused += Number(refused);
    expect({ case: c, ...played(c) }).toEqual({ case: c, ...(refused ? { codes: wanted.codes } : wanted) });
  }
  expect(seen).toMatchObject({ cases: 2640, refused: 1048 });
});

it('an override of an immutable attribute is reported at its pointer, with the attribute and the template', () => {
  const bound = sourceLayer(
    { ref: below, attributes: { image: 'one', count: 2 }, marks: { image: below, count: below } },
    '/from',
  );
  const layers: NodeGroupLayer[] = [
    { origin: { from: 'request' }, attributes: { count: 3 }, pointer: name => `/nodeGroups/0/${name}` },
    sourceLayer({ ref: group, attributes: { role: 'worker', image: 'two' }, marks: {} }, '/nodeGroups/0/from'),
    bound,
  ];
  expect(resolveNodeGroup(layers, {})).toEqual({
    ok: false,
    problems: [
      { pointer: '/nodeGroups/0/flavor', code: 'required', detail: 'flavor is required' },
      {
        pointer: '/nodeGroups/0/count',
        code: 'immutable-attribute',
        detail: 'count is immutable in node group template base',
      },
      {
        pointer: '/nodeGroups/0/from',
        code: 'immutable-attribute',
        detail: 'image is immutable in node group template base',
      },
    ],
  });
});
