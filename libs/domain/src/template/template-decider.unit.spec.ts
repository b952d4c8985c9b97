import type { Marks, SourceRef } from '../attribute-resolution/layers.js';
import { given } from '../kernel/given.fixture.js';
import {
  abandonTemplateMove,
  deleteClusterTemplate,
  deleteNodeGroupTemplate,
  deleteWithClusterTemplate,
  updateClusterTemplate,
  updateNodeGroupTemplate,
  type TemplatePatch,
} from './template-decider.js';
import {
  clusterTemplateStream,
  nodeGroupTemplateStream,
  type ClusterTemplateCreated,
  type NodeGroupTemplateCreated,
} from './template-state.js';

const ofCluster = clusterTemplateStream;
const ofGroup = nodeGroupTemplateStream;
const by: SourceRef = { type: 'clusterTemplate', id: 't0', name: 'base' };
const locked: Marks = { driver: by };
const flavor = { cpus: 1, memoryMb: 512 };

const cluster = (more: Partial<ClusterTemplateCreated['data']> = {}): ClusterTemplateCreated => ({
  type: 'ClusterTemplateCreated',
  data: {
    id: 't1',
    name: 'shop',
    projectId: 'p',
    attributes: { driver: 'fake', labels: { a: '1' } },
    immutableAttributes: ['labels'],
    locked: {},
    groups: [],
    ...more,
  },
});
const group = (more: Partial<NodeGroupTemplateCreated['data']> = {}): NodeGroupTemplateCreated => ({
  type: 'NodeGroupTemplateCreated',
  data: {
    id: 'g1',
    name: 'web',
    projectId: 'p',
    attributes: { role: 'worker', flavor, conductorGroup: null },
    immutableAttributes: [],
    locked: {},
    clusterTemplateId: null,
    ...more,
  },
});
const codes = (patch: TemplatePatch): readonly string[] => {
  const { state } = given(ofCluster, cluster({ locked }));
  const decision = updateClusterTemplate(state, patch);
  return decision.ok ? [] : (decision.refusal.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
};

it('a patch of a template with duplicates is refused at the repetition', () => {
  expect(codes({ defaults: { zones: ['a', 'a'] } })).toEqual(['/defaults/zones/1 duplicate']);
  const taint = { key: 'gpu', effect: 'NoSchedule' };
  const { state } = given(ofGroup, group());
  expect(updateNodeGroupTemplate(state, { zones: ['a', { name: 'a' }], taints: [taint, taint] })).toMatchObject({
    refusal: { errors: [{ pointer: '/zones/1' }, { pointer: '/taints/1' }] },
  });
});

describe('a cluster template', () => {
  it('a patch of a cluster template merges objects, and null opens an attribute', () => {
    const patch = { labels: { b: '2' }, driver: null, network: { cidr: '10.0.0.0/8', driver: null } };
    given(ofCluster, cluster())
      .when(s => updateClusterTemplate(s, patch))
      .then({
        type: 'ClusterTemplateUpdated',
        data: {
          attributes: { labels: { a: '1', b: '2' }, network: { cidr: '10.0.0.0/8' } },
          immutableAttributes: ['labels'],
        },
      });
  });

  it('a cluster template accepts changes of attributes that it has marked immutable itself, and of its own marks', () => {
    given(ofCluster, cluster())
      .when(s => updateClusterTemplate(s, { labels: null, immutableAttributes: ['driver', 'api', 'driver'] }))
      .then({
        type: 'ClusterTemplateUpdated',
        data: { attributes: { driver: 'fake' }, immutableAttributes: ['api', 'driver'] },
      });
    given(ofCluster, cluster())
      .when(s => updateClusterTemplate(s, { immutableAttributes: null }))
      .then({
        type: 'ClusterTemplateUpdated',
        data: { attributes: { driver: 'fake', labels: { a: '1' } }, immutableAttributes: [] },
      });
  });

  it('a cluster template refuses changes of attributes that its source has marked immutable, with all of them at once', () => {
    expect(codes({ driver: 'other', immutableAttributes: [] })).toEqual([
      '/driver immutable-attribute',
      '/immutableAttributes immutable-attribute',
    ]);
    expect(codes({ driver: null })).toEqual(['/driver immutable-attribute']);
    expect(codes({ driver: 'fake', immutableAttributes: ['driver'] })).toEqual([]);
    expect(codes({ labels: { a: '9' }, immutableAttributes: null })).toEqual([
      '/immutableAttributes immutable-attribute',
    ]);
  });

  it('a cluster template refuses a patch with an incomplete value, with all other problems at once', () => {
    const labels = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`m${i}`, 'v']));
    const problems = () => [{ pointer: '/options', code: 'invalid-option', detail: '' }];
    const patch = { labels, defaults: { flavor: { cpus: 1 } }, options: { text: 'x'.repeat(300_000) } };
    const { state } = given(ofCluster, cluster());
    const decision = updateClusterTemplate(state, patch, { problems });
    expect(decision).toMatchObject({
      ok: false,
      refusal: {
        errors: [
          { pointer: '/labels', code: 'too-many' },
          { pointer: '/defaults/flavor/memoryMb', code: 'required' },
          { pointer: '', code: 'too-large' },
          { pointer: '/options', code: 'invalid-option' },
        ],
      },
    });
  });

  it('a change of a cluster template without effect, or of one that was deleted or moved, results in no event', () => {
    given(ofCluster, cluster())
      .when(s =>
        updateClusterTemplate(s, { labels: { a: '1' }, immutableAttributes: ['labels'], image: 'not its own' }),
      )
      .then();
    given(ofCluster, cluster())
      .when(s => updateClusterTemplate(s, {}, { ifMatch: 2 }))
      .thenRefused('revision-mismatch');
    given(ofCluster, cluster())
      .when(s => deleteClusterTemplate(s, 1))
      .thenTypes('ClusterTemplateDeleted');
    given(ofCluster, cluster(), { type: 'ClusterTemplateDeleted', data: {} })
      .when(s => deleteClusterTemplate(s))
      .thenRefused('not-found');
  });
});

describe('a node group template', () => {
  const updated = (clusterTemplateId: string | null) =>
    ({
      type: 'NodeGroupTemplateUpdated',
      data: {
        attributes: { role: 'worker', flavor, conductorGroup: null },
        immutableAttributes: [],
        clusterTemplateId,
      },
    }) as const;

  it('a node group template shows its cluster template, and keeps the former ones, in which its name may be reserved', () => {
    given(ofGroup, group())
      .when(s => updateNodeGroupTemplate(s, { clusterTemplateId: 't1' }))
      .then(updated('t1'));
    given(ofGroup, group())
      .when(s => updateNodeGroupTemplate(s, { clusterTemplateId: null }))
      .then();
    const { state } = given(ofGroup, group(), updated('t1'), updated('t2'), updated('t1'));
    expect(state).toMatchObject({
      clusterTemplateId: 't1',
      previousClusterTemplateIds: [null, 't2'],
      revision: 4,
      eventCount: 4,
    });
  });

  it('a node group template counts every event for moves, and only changes as revisions', () => {
    const { state } = given(ofGroup, group(), abandonTemplateMove(), { type: 'CreationAbandoned', data: {} } as never);
    expect(state).toMatchObject({ revision: 1, eventCount: 3, clusterTemplateId: null });
  });

  it('a patch of a node group template opens an attribute with null, normalises zones, and refuses contradictory bounds', () => {
    given(ofGroup, group())
      .when(s => updateNodeGroupTemplate(s, { flavor: null, conductorGroup: null, zones: ['a'], count: 2 }))
      .then({
        type: 'NodeGroupTemplateUpdated',
        data: {
          attributes: { role: 'worker', zones: [{ name: 'a' }], count: 2 },
          immutableAttributes: [],
          clusterTemplateId: null,
        },
      });
    const { state } = given(ofGroup, group());
    const patch = { flavor: { cpus: null }, minCount: 3, count: 2, updateStrategy: { maxSurge: 0, maxUnavailable: 0 } };
    const decision = updateNodeGroupTemplate(state, patch);
    const pointers = decision.ok ? [] : decision.refusal.errors?.map(({ pointer }) => pointer);
    expect(pointers).toEqual(['/flavor/cpus', '/count', '/updateStrategy']);
  });

  it('a node group template is deleted with its own cluster template, and with no other', () => {
    const inside = given(ofGroup, group({ clusterTemplateId: 't1' }));
    inside.when(s => deleteWithClusterTemplate(s, 't1')).thenTypes('NodeGroupTemplateDeleted');
    inside.when(s => deleteWithClusterTemplate(s, 't2')).then();
    inside.when(s => deleteNodeGroupTemplate(s, 7)).thenRefused('revision-mismatch');
    given(ofGroup, group({ clusterTemplateId: 't1' }), { type: 'NodeGroupTemplateDeleted', data: {} })
      .when(s => deleteWithClusterTemplate(s, 't1'))
      .then();
  });
});
