import { raw, type BadInput } from './bad-input.case.js';

const get = (path: string) => ({ method: 'GET', path });
const clusterWith = (member: object) => ({ options: { body: { driver: 'fake', ...member } } });
const group = { name: 'w', role: 'worker' };

/** Requests whose text means something else than it seems to, or nothing at all. */
export const badTexts: readonly BadInput[] = [
  {
    what: 'a sort key with another character in place of its dot',
    ...get('/v1/clusters?sort=nodeCountsXtotal'),
    status: 400,
    errors: [['?sort', 'malformed']],
  },
  ...['0x10', '1e1', '%2B5', '5.0', '010', '%205'].map(limit => ({
    what: `a limit written as ${limit}`,
    ...get(`/v1/clusters?limit=${limit}`),
    status: 400,
    errors: [['?limit', 'wrong-type']] as const,
  })),
  {
    what: 'a query with bytes that are not UTF-8',
    ...get('/v1/clusters?name~=%ff'),
    status: 400,
    errors: [['?name~', 'not-utf-8']],
  },
  {
    what: 'a query with a name that cannot be decoded',
    ...get('/v1/clusters?%zz=1'),
    status: 400,
    errors: [['?%zz', 'not-utf-8']],
  },
  {
    what: 'the token of a plan in a dry run',
    path: '/v1/projects?dryRun=true&planToken=abc',
    options: { body: { name: 'shop' } },
    status: 400,
    errors: [['?planToken', 'unknown-parameter']],
  },
  {
    what: 'a minimum position in another base',
    ...get('/v1/clusters/web?minPosition=0b1'),
    status: 400,
    errors: [['?minPosition', 'wrong-type']],
  },
  {
    what: 'an unknown name in fields of a resource',
    ...get('/v1/clusters/web?fields=name,colour'),
    status: 400,
    errors: [['?fields', 'unknown-field']],
  },
  {
    what: 'an unknown name in fields of a list',
    ...get('/v1/nodes?fields=name,flavour.cpus'),
    status: 400,
    errors: [['?fields', 'unknown-field']],
  },
  {
    what: 'an unknown name inside an object in fields',
    ...get('/v1/clusters?fields=nodeCounts.all'),
    status: 400,
    errors: [['?fields', 'unknown-field']],
  },
  {
    what: 'an unknown name in fields of operations',
    ...get('/v1/operations?fields=state'),
    status: 400,
    errors: [['?fields', 'unknown-field']],
  },
  {
    what: 'a deadline on a day that does not exist',
    path: '/v1/nodes/n/actions/drain',
    options: { body: { deadline: '2026-02-30T00:00:00Z' } },
    status: 400,
    errors: [['/deadline', 'malformed']],
  },
  ...[
    '\u200b',
    '\u200d',
    '\u200f',
    '\u202e',
    '\u2066',
    '\u2028',
    '\u2029',
    '\ufeff',
    '\u00ad',
    '\u3164',
    '\u{e0041}',
  ].map(mark => ({
    what: `the invisible character U+${mark.codePointAt(0)?.toString(16)} in names and labels`,
    ...clusterWith({
      labels: { env: `pro${mark}d` },
      conductorGroup: `site${mark}`,
      defaults: { zones: [`a${mark}`, { name: `b${mark}` }], image: `i${mark}` },
    }),
    status: 400,
    errors: ['/labels/env', '/conductorGroup', '/defaults/zones/0', '/defaults/zones/1/name', '/defaults/image'].map(
      pointer => [pointer, 'malformed'] as const,
    ),
  })),
  {
    what: 'an invisible character in a label that is changed',
    method: 'PATCH',
    path: '/v1/clusters/web',
    options: { body: { labels: { env: '\u202eprod', tier: null } } },
    status: 400,
    errors: [['/labels/env', 'malformed']],
  },
  {
    what: 'a member twice',
    ...raw('{"driver":"fake","name":"a","name":"b"}'),
    status: 400,
    code: 'validation-failed',
    errors: [['/name', 'duplicate-member']],
  },
  {
    what: 'members twice below lists, one of them with escapes',
    ...raw('{"driver":"fake","nodeGroups":[{"name":"a"},{"labels":{"a/b":"1","a/b":"2","\\u0061/b":"3"}}]}'),
    status: 400,
    errors: [['/nodeGroups/1/labels/a~1b', 'duplicate-member']],
  },
  {
    what: 'a control character in a description',
    ...clusterWith({ description: 'a\u0000b' }),
    status: 400,
    errors: [['/description', 'control-character']],
  },
  {
    what: 'control characters in options of a driver and in a name of a member',
    ...clusterWith({ options: { a: ['\u001b[31m'], 'b\n': 1 } }),
    status: 400,
    errors: [
      ['/options/a/0', 'control-character'],
      ['/options/b\n', 'control-character'],
    ],
  },
  {
    what: 'a line break in texts of one line',
    ...clusterWith({
      labels: { env: 'a\nb' },
      conductorGroup: 'a\r',
      nodeGroups: [{ ...group, image: 'a\tb', flavor: { name: 'x\n', cpus: 1, memoryMb: 512 } }],
    }),
    status: 400,
    errors: [
      ['/labels/env', 'malformed'],
      ['/conductorGroup', 'malformed'],
      ['/nodeGroups/0/image', 'malformed'],
      ['/nodeGroups/0/flavor/name', 'malformed'],
    ],
  },
  {
    what: 'a control character in a query parameter',
    ...get('/v1/clusters?description=a%00b'),
    status: 400,
    errors: [['?description', 'control-character']],
  },
  {
    what: 'a dry run of a read, which has none',
    ...get('/v1/read-models/nodegroup-service.nodes?dryRun=true'),
    status: 400,
    errors: [['?dryRun', 'unknown-parameter']],
  },
];
