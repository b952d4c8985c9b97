import type { BadInput } from './bad-input.case.js';

const clusters = '/v1/cluster-templates';
const groups = '/v1/node-group-templates';
const post = (path: string, body: object) => ({ path, options: { body } });
const patch = (path: string, body: object) => ({ method: 'PATCH', path: `${path}/shop`, options: { body } });

/** Requests for templates with wrong members or values. */
export const badTemplates: readonly BadInput[] = [
  {
    what: 'a cluster template with many wrong values, all named',
    ...post(clusters, {
      name: '-',
      driver: '',
      labels: { $where: 'x' },
      network: { cidr: 'here' },
      api: { port: 0 },
      immutableAttributes: ['driver', 'name', 'driver'],
      omitNodeGroups: [5],
      nodeGroups: [{ count: -1 }, { role: 'boss', flavor: { cpus: 1 }, colour: 'red' }],
      size: 1,
    }),
    status: 400,
    errors: [
      ['/name', 'malformed'],
      ['/driver', 'malformed'],
      ['/labels/$where', 'malformed'],
      ['/network/cidr', 'malformed'],
      ['/api/port', 'out-of-range'],
      ['/immutableAttributes', 'duplicate'],
      ['/immutableAttributes/1', 'not-allowed'],
      ['/omitNodeGroups/0', 'wrong-type'],
      ['/nodeGroups/0/count', 'out-of-range'],
      ['/nodeGroups/1/role', 'not-allowed'],
      ['/nodeGroups/1/flavor/memoryMb', 'required'],
      ['/nodeGroups/1/colour', 'unknown-member'],
      ['/size', 'unknown-member'],
    ],
  },
  {
    what: 'a cluster template with two sources',
    ...post(clusters, { from: { cluster: 'a', clusterTemplate: 'b' }, nodeGroups: [{ from: {} }] }),
    status: 400,
    errors: [
      ['/from', 'too-many'],
      ['/nodeGroups/0/from', 'too-few'],
    ],
  },
  {
    what: 'a cluster template with a node group as its source',
    ...post(clusters, { from: { nodeGroup: 'a' } }),
    status: 400,
    errors: [['/from/nodeGroup', 'unknown-member']],
  },
  {
    what: 'a node group of a cluster template that names another template',
    ...post(clusters, { nodeGroups: [{ clusterTemplateId: 'other' }] }),
    status: 400,
    errors: [['/nodeGroups/0/clusterTemplateId', 'unknown-member']],
  },
  {
    what: 'a node group template that marks an unknown attribute as immutable',
    ...post(groups, {
      clusterTemplateId: 'a b',
      immutableAttributes: ['network'],
      updateStrategy: { maxSurge: '101%' },
    }),
    status: 400,
    errors: [
      ['/clusterTemplateId', 'malformed'],
      ['/immutableAttributes/0', 'not-allowed'],
      ['/updateStrategy/maxSurge', 'malformed'],
    ],
  },
  {
    what: 'a patch of immutable members of a cluster template',
    ...patch(clusters, { id: 'x', name: 'x', projectId: 'x', createdAt: 'x', nodeGroups: [], locked: {}, driver: 5 }),
    status: 400,
    errors: [
      ['/id', 'immutable'],
      ['/name', 'immutable'],
      ['/projectId', 'immutable'],
      ['/createdAt', 'immutable'],
      ['/nodeGroups', 'immutable'],
      ['/locked', 'immutable'],
      ['/driver', 'wrong-type'],
    ],
  },
  {
    what: 'a patch of immutable members of a node group template with bad values beside them',
    ...patch(groups, { name: 'x', count: 10_001, taints: [{ key: 'a' }], labels: { a: 5 }, from: { nodeGroup: 'a' } }),
    status: 400,
    errors: [
      ['/name', 'immutable'],
      ['/count', 'out-of-range'],
      ['/taints/0/effect', 'required'],
      ['/labels/a', 'wrong-type'],
      ['/from', 'unknown-member'],
    ],
  },
  {
    what: 'a list of templates with an unknown filter and sort key',
    method: 'GET',
    path: `${groups}?status=ACTIVE&sort=flavor`,
    status: 400,
  },
];
