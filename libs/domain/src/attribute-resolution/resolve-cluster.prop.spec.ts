import * as fc from 'fast-check';
import type { ClusterSpecification } from '../cluster/cluster-events.js';
import type { NodeGroupSpec } from '../node-group/node-group-spec.js';
import type { ClusterAttributes, NodeGroupAttributes } from './attributes.js';
import type { Marks, SourceRef } from './layers.js';
import type { GroupEntry } from './merge-groups.js';
import {
  resolveCluster,
  resolveClusterTemplate,
  type ClusterRequest,
  type ClusterSource,
  type ResolvedCluster,
} from './resolve-cluster.js';
import { marksOf, resolveNodeGroup, type NodeGroupSource } from './resolve-node-group.js';

const RUNS = 2_000;

const flavor = fc.record({ cpus: fc.integer({ min: 1, max: 4 }), memoryMb: fc.constantFrom(512, 1024) });
const zones = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }).map(all => all.map(name => ({ name })));
const labels = fc.dictionary(fc.constantFrom('tier', 'env'), fc.constantFrom('x', 'y'));
const groupAttributes: fc.Arbitrary<NodeGroupAttributes> = fc.record(
  {
    role: fc.constantFrom('manager' as const, 'worker' as const),
    count: fc.integer({ min: 0, max: 5 }),
    minCount: fc.integer({ min: 0, max: 2 }),
    maxCount: fc.integer({ min: 1, max: 6 }),
    flavor,
    image: fc.constantFrom('one', 'two'),
    zones,
    labels,
    conductorGroup: fc.constantFrom(null, '', 'north'),
  },
  { requiredKeys: [] },
);
const wholeGroup: fc.Arbitrary<NodeGroupSpec> = fc.record({
  role: fc.constantFrom('manager' as const, 'worker' as const),
  count: fc.integer({ min: 2, max: 5 }),
  minCount: fc.integer({ min: 0, max: 2 }),
  flavor,
  zones,
  labels,
  taints: fc.constant([]),
  conductorGroup: fc.constantFrom(null, 'north'),
  options: fc.constantFrom({}, { size: 1 }),
  updateStrategy: fc.constantFrom({ maxSurge: 1, maxUnavailable: 0 }, { maxSurge: 0, maxUnavailable: '25%' }),
});
const clusterAttributes: fc.Arbitrary<ClusterAttributes> = fc.record(
  {
    description: fc.constantFrom('shop', 'bank'),
    driver: fc.constantFrom('fake', 'swarm'),
    labels,
    conductorGroup: fc.constantFrom('', 'north'),
    defaults: fc.record({ flavor, image: fc.constantFrom('three', 'four') }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const wholeCluster: fc.Arbitrary<Omit<ClusterSpecification, 'driverVersion'>> = fc.record({
  driver: fc.constantFrom('fake', 'swarm'),
  conductorGroup: fc.constantFrom('', 'north'),
  network: fc.constantFrom({}, { cidr: '10.0.0.0/24' }),
  api: fc.constantFrom({}, { port: 2376 }),
  labels,
  defaults: fc.record({ flavor }, { requiredKeys: [] }),
  options: fc.constantFrom({}, { token: 'x' }),
});

const names = ['web', 'db', 'gpu', 'edge'];
const marksFor = (ref: SourceRef, marked: readonly string[]): Marks => Object.fromEntries(marked.map(m => [m, ref]));
const groupSource = (name: string, type: SourceRef['type']): fc.Arbitrary<NodeGroupSource> =>
  fc
    .record({ attributes: groupAttributes, marked: fc.subarray(['role', 'flavor', 'count', 'image']) })
    .map(({ attributes, marked }) => {
      const ref = { type, id: `${type}-${name}`, name };
      return { ref, attributes, marks: marksFor(ref, marked) };
    });
const sourceOf = (type: 'clusterTemplate'): fc.Arbitrary<ClusterSource> =>
  fc
    .record({
      attributes: clusterAttributes,
      marked: fc.subarray(['driver', 'labels']),
      groups: fc.subarray(names).chain(some => fc.tuple(...some.map(name => groupSource(name, 'nodeGroupTemplate')))),
    })
    .map(({ attributes, marked, groups }) => {
      const ref = { type, id: 'source', name: 'source' };
      return { ref, attributes, marks: marksFor(ref, marked), groups };
    });
const entry: fc.Arbitrary<GroupEntry> = fc.record(
  {
    name: fc.constantFrom('WEB', 'db', 'gpu', 'fresh'),
    attributes: groupAttributes,
    from: groupSource('other', 'nodeGroupTemplate'),
  },
  { requiredKeys: ['attributes'] },
);
const request: fc.Arbitrary<ClusterRequest> = fc
  .record({
    attributes: clusterAttributes,
    from: fc.option(sourceOf('clusterTemplate'), { nil: undefined }),
    groups: fc.array(entry, { maxLength: 4 }),
    omitted: fc.subarray([...names, 'nobody']),
  })
  .map(({ from, ...others }) => ({ ...others, ...(from ? { from } : {}) }));

const clusterRef: SourceRef = { type: 'cluster', id: 'c', name: 'c' };
const living = fc
  .record({
    attributes: wholeCluster,
    groups: fc.subarray(names).chain(some => fc.tuple(...some.map(name => wholeGroup.map(spec => ({ name, spec }))))),
  })
  .map(({ attributes, groups }): ClusterSource => ({
    ref: clusterRef,
    attributes,
    marks: {},
    groups: groups.map(({ name, spec }) => ({
      ref: { type: 'nodeGroup', id: name, name },
      attributes: spec,
      marks: {},
      driver: attributes.driver,
    })),
  }));
const nothing = { attributes: {}, groups: [], omitted: [] };

function complete(result: ReturnType<typeof resolveCluster>): ResolvedCluster {
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result;
}

it('an accepted request results in the groups of the source that it does not omit, and in its new groups', () => {
  fc.assert(
    fc.property(request, asked => {
      const result = resolveCluster(asked);
      fc.pre(result.ok);
      expect(asked.groups.some(g => asked.omitted.includes(g.name?.toLowerCase() ?? ''))).toBe(false);
      const left = (asked.from?.groups ?? []).map(g => g.ref.name).filter(name => !asked.omitted.includes(name));
      const added = asked.groups.map(g => g.name).filter(name => !left.includes(name?.toLowerCase() ?? ''));
      expect(result.groups.map(g => g.name)).toEqual([...left, ...added]);
    }),
    { numRuns: RUNS / 2 },
  );
});

it('a refused request reports each problem once', () => {
  fc.assert(
    fc.property(request, asked => {
      const result = resolveCluster(asked);
      fc.pre(!result.ok);
      expect(result.problems.length).toBeGreaterThan(0);
      const problems = result.problems.map(p => `${p.pointer} ${p.code} ${p.detail}`);
      expect(new Set(problems).size).toBe(problems.length);
    }),
    { numRuns: RUNS / 2 },
  );
});

it('a group in a cluster request is resolved as in a request of its own with the defaults of the cluster', () => {
  fc.assert(
    fc.property(request, asked => {
      const result = resolveCluster(asked, { image: 'of the driver' });
      if (!result.ok) return;
      for (const { layers, spec, origins } of result.groups) {
        const alone = resolveNodeGroup(layers, { cluster: result.spec.defaults, driver: { image: 'of the driver' } });
        expect(alone).toEqual({ ok: true, spec, origins });
      }
    }),
    { numRuns: RUNS },
  );
});

it('a clone, direct or by a template, has the attributes and groups of its source', () => {
  fc.assert(
    fc.property(living, source => {
      const clone = complete(resolveCluster({ ...nothing, from: source }));
      expect(clone.spec).toEqual(source.attributes);
      expect(clone.groups.map(g => [g.name, g.spec])).toEqual(source.groups.map(g => [g.ref.name, g.attributes]));
      const template = resolveClusterTemplate({ ...nothing, from: source });
      if (!template.ok) throw new Error('no template');
      const asSource: ClusterSource = {
        ref: { type: 'clusterTemplate', id: 't', name: 't' },
        attributes: template.values,
        marks: {},
        groups: template.groups.map(({ name = '', values, layers }) => ({
          ref: { type: 'nodeGroupTemplate', id: name, name },
          attributes: values,
          marks: marksOf(layers),
        })),
      };
      const again = complete(resolveCluster({ ...nothing, from: asSource }));
      expect(again.spec).toEqual(clone.spec);
      expect(again.groups.map(g => g.spec)).toEqual(clone.groups.map(g => g.spec));
    }),
    { numRuns: RUNS },
  );
});

it('a template from a template has the same open attributes and the same immutable marks', () => {
  fc.assert(
    fc.property(sourceOf('clusterTemplate'), source => {
      const made = resolveClusterTemplate({ ...nothing, from: source });
      if (!made.ok) return;
      expect(made.values).toEqual(source.attributes);
      expect(made.groups.map(g => g.values)).toEqual(source.groups.map(g => g.attributes));
      expect(made.groups.map(g => marksOf(g.layers))).toEqual(source.groups.map(g => g.marks));
    }),
    { numRuns: RUNS },
  );
});

it('a source with another driver is refused at its pointer, with one problem for a cluster and all its groups', () => {
  const group = (driver: string): NodeGroupSource => ({
    ref: { type: 'nodeGroup', id: 'g', name: 'g' },
    attributes: { role: 'worker', flavor: { cpus: 1, memoryMb: 512 } },
    marks: {},
    driver,
  });
  const asked = (driver: string): ClusterRequest => ({
    attributes: { driver },
    groups: [{ attributes: {}, from: group('fake') }],
    omitted: [],
    from: { ref: clusterRef, attributes: { driver: 'fake' }, marks: {}, groups: [] },
  });
  expect(resolveCluster(asked('fake')).ok).toBe(true);
  expect(resolveCluster(asked('swarm'))).toMatchObject({
    ok: false,
    problems: [
      { pointer: '/from', code: 'driver-mismatch' },
      { pointer: '/nodeGroups/0/from', code: 'driver-mismatch' },
    ],
  });
});
