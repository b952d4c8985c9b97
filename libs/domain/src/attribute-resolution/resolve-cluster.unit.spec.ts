import type { SourceRef } from './layers.js';
import { resolveCluster, resolveClusterTemplate, type ClusterSource } from './resolve-cluster.js';
import type { NodeGroupSource } from './resolve-node-group.js';

it('a request cannot both omit a group and give it again without its immutable marks', () => {
  const ref: SourceRef = { type: 'nodeGroupTemplate', id: 'w', name: 'w' };
  const from: ClusterSource = {
    ref: { type: 'clusterTemplate', id: 't', name: 't' },
    attributes: { driver: 'fake' },
    marks: {},
    groups: [{ ref, attributes: { role: 'worker' }, marks: { role: ref } }],
  };
  const attributes = { role: 'manager', flavor: { cpus: 1, memoryMb: 512 } } as const;
  const asked = { attributes: {}, from, omitted: ['W'], groups: [{ name: 'w', attributes }] };
  const problems = [{ pointer: '/omitNodeGroups/0', code: 'omitted-and-given' }];
  expect(resolveCluster(asked)).toMatchObject({ ok: false, problems });
  expect(resolveClusterTemplate(asked)).toMatchObject({ ok: false, problems });
});

it('a zone or a taint that a request repeats is refused at the repetition, and one that a source repeats is accepted', () => {
  const zones = [{ name: 'a' }, { name: 'a', region: 'eu' }];
  const taint = { key: 'gpu', effect: 'NoSchedule' } as const;
  const attributes = { role: 'worker', flavor: { cpus: 1, memoryMb: 512 }, zones, taints: [taint, taint] } as const;
  const asked = { attributes: { driver: 'fake', defaults: { zones } }, omitted: [], groups: [{ attributes }] };
  const pointers = ['/defaults/zones/1', '/nodeGroups/0/zones/1', '/nodeGroups/0/taints/1'];
  const problems = pointers.map(pointer => ({ pointer, code: 'duplicate' }));
  expect(resolveCluster(asked)).toMatchObject({ ok: false, problems });
  expect(resolveClusterTemplate(asked)).toMatchObject({ ok: false, problems });
  const from: NodeGroupSource = { ref: { type: 'nodeGroup', id: 'g', name: 'g' }, attributes, marks: {} };
  expect(resolveCluster({ ...asked, attributes: { driver: 'fake' }, groups: [{ attributes: {}, from }] }).ok).toBe(
    true,
  );
});
