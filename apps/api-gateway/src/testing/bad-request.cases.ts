import { raw, type BadInput } from './bad-input.case.js';

const clusterWith = (member: object) => ({ options: { body: { driver: 'fake', ...member } } });
const header = (name: string, value: string) => ({
  method: 'PATCH',
  path: '/v1/clusters/web',
  options: { body: { description: 'x' }, headers: { [name]: value } },
});
const get = (path: string) => ({ method: 'GET', path });

/** Requests with a wrong encoding, header, parameter or path. */
export const badRequests: readonly BadInput[] = [
  { what: 'broken JSON', ...raw('{"driver":'), status: 400, errors: [['', 'not-json']] },
  {
    what: 'bytes that are not UTF-8',
    ...raw(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
    status: 400,
    code: 'malformed-request',
    errors: [['', 'not-utf-8']],
  },
  {
    what: 'a member that would set the prototype',
    ...raw('{"driver":"fake","__proto__":{"x":1}}'),
    status: 400,
    errors: [['', 'not-json']],
  },
  {
    what: 'a compressed body',
    ...raw('{"driver":"fake"}', { 'content-encoding': 'gzip' }),
    status: 415,
    code: 'unsupported-media-type',
  },
  {
    what: 'a body in another character set',
    ...raw('{"driver":"fake"}', { 'content-type': 'application/json; charset=utf-16' }),
    status: 415,
    code: 'unsupported-media-type',
  },
  {
    what: 'a body that is nested too deeply',
    ...raw(`{"driver":"fake","options":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`),
    status: 400,
  },
  { what: 'an array as body', ...raw('[]'), status: 400, errors: [['', 'wrong-type']] },
  { what: 'null as body', ...raw('null'), status: 400 },
  { what: 'a request without a body', options: {}, status: 400, errors: [['', 'required']] },
  {
    what: 'a body over 256 KB',
    ...clusterWith({ description: 'x'.repeat(256 * 1024) }),
    status: 413,
    code: 'body-too-large',
  },
  {
    what: 'an unsupported media type',
    ...raw('driver=fake', { 'content-type': 'application/x-www-form-urlencoded' }),
    status: 415,
    code: 'unsupported-media-type',
  },
  { what: 'plain text', ...raw('{}', { 'content-type': 'text/plain' }), status: 415 },
  { what: 'a merge patch on POST', ...raw('{}', { 'content-type': 'application/merge-patch+json' }), status: 415 },
  {
    what: 'If-Match without quotes',
    ...header('if-match', '3'),
    status: 400,
    errors: [['If-Match', 'malformed-header']],
  },
  {
    what: 'If-Match of text',
    ...header('if-match', '"three"'),
    status: 400,
    errors: [['If-Match', 'malformed-header']],
  },
  {
    what: 'If-Match with a weak tag',
    ...header('if-match', 'W/"3"'),
    status: 400,
    errors: [['If-Match', 'malformed-header']],
  },
  {
    what: 'an idempotency key of 256 characters',
    ...header('idempotency-key', 'x'.repeat(256)),
    status: 400,
    errors: [['Idempotency-Key', 'malformed-header']],
  },
  ...['events?type=a,,b', 'events?since=start&type=a,', 'events?type=,'].map(path => ({
    what: `an empty element in ${path}`,
    ...get(`/v1/${path}`),
    status: 400,
    errors: [['?type', 'malformed']] as const,
  })),
  ...(
    [
      ['clusters?name=a,,b', '?name'],
      ['clusters?id=a,', '?id'],
      ['clusters?projectId=,a', '?projectId'],
      ['nodes?clusterId=a,,b', '?clusterId'],
      ['clusters?status=ACTIVE,,FAILED', '?status'],
      ['clusters?sort=name,,status', '?sort'],
      ['clusters?fields=name,,status', '?fields'],
    ] as const
  ).map(([path, pointer]) => ({
    what: `an empty element in ${path}`,
    ...get(`/v1/${path}`),
    status: 400,
    errors: [[pointer, 'malformed']] as const,
  })),
  {
    what: 'a minimum position of text',
    ...header('stave-min-position', 'x'),
    status: 400,
    errors: [['Stave-Min-Position', 'malformed-header']],
  },
  {
    what: 'an unknown query parameter',
    ...get('/v1/clusters?colour=red'),
    status: 400,
    errors: [['?colour', 'unknown-parameter']],
  },
  {
    what: 'an unknown query parameter on a change',
    path: '/v1/clusters?dryrun=true',
    options: { body: { driver: 'fake' } },
    status: 400,
    errors: [['?dryrun', 'unknown-parameter']],
  },
  {
    what: 'a read of the past of a resource type without history',
    ...get('/v1/api-keys?at=2026-01-01'),
    status: 400,
    errors: [['?at', 'unknown-parameter']],
  },
  {
    what: 'a malformed time',
    ...get('/v1/clusters/web?at=yesterday'),
    status: 400,
    errors: [['?at', 'malformed']],
  },
  {
    what: 'a list at a revision',
    ...get('/v1/clusters?at=1'),
    status: 400,
    errors: [['?at', 'malformed']],
  },
  {
    what: 'a parameter twice',
    ...get('/v1/clusters?limit=1&limit=2'),
    status: 400,
    errors: [['?limit', 'wrong-type']],
  },
  { what: 'a limit of 0', ...get('/v1/clusters?limit=0'), status: 400, errors: [['?limit', 'out-of-range']] },
  { what: 'a limit of 501', ...get('/v1/clusters?limit=501'), status: 400, errors: [['?limit', 'out-of-range']] },
  { what: 'a limit of text', ...get('/v1/clusters?limit=ten'), status: 400, errors: [['?limit', 'wrong-type']] },
  {
    what: 'a sort by a field that is no sort key',
    ...get('/v1/clusters?sort=secret'),
    status: 400,
    errors: [['?sort', 'malformed']],
  },
  {
    what: 'unknown values of status and health',
    ...get('/v1/clusters?status=ACTIVE,BOGUS&health=ill'),
    status: 400,
    errors: [
      ['?status', 'malformed'],
      ['?health', 'malformed'],
    ],
  },
  {
    what: 'a wait of an hour',
    ...get('/v1/operations/c-1?wait=60m'),
    status: 400,
    errors: [['?wait', 'out-of-range']],
  },
  {
    what: 'a forged cursor',
    ...get('/v1/operations?cursor=abc'),
    status: 400,
    errors: [['?cursor', 'invalid-cursor']],
  },
  {
    what: 'a malformed start of the stream',
    ...get('/v1/events?from=yesterday'),
    status: 400,
    errors: [['?from', 'unknown-position']],
  },
  {
    what: 'a position beyond the end of the log',
    ...get('/v1/events?since=999999'),
    status: 400,
    errors: [['?since', 'unknown-position']],
  },
  {
    what: 'a path with a reference that no resource can have',
    ...get('/v1/clusters/%F0%9F%98%80'),
    status: 404,
    code: 'not-found',
  },
  { what: 'a path that cannot be decoded', ...get('/v1/clusters/%zz'), status: 400, code: 'malformed-request' },
  { what: 'an operation id with an unknown prefix', ...get('/v1/operations/x-1'), status: 404, code: 'not-found' },
  { what: 'an unknown path', ...get('/v1/pods'), status: 404, code: 'unknown-route' },
  {
    what: 'an unknown action',
    path: '/v1/clusters/web/actions/fly',
    options: { body: {} },
    status: 404,
    code: 'unknown-route',
  },
  {
    what: 'an autoscaling of a node group out of its bounds',
    method: 'PATCH',
    path: '/v1/node-groups/g',
    options: { body: { autoscaling: { idleThreshold: 2, priority: 1001, headroom: { containers: -1 }, speed: 1 } } },
    status: 400,
    errors: [
      ['/autoscaling/headroom/containers', 'out-of-range'],
      ['/autoscaling/idleThreshold', 'out-of-range'],
      ['/autoscaling/priority', 'out-of-range'],
      ['/autoscaling/speed', 'unknown-member'],
    ],
  },
  {
    what: 'a change of an immutable member',
    method: 'PATCH',
    path: '/v1/clusters/web',
    options: { body: { name: 'b', driver: 'x' } },
    status: 400,
    errors: [
      ['/name', 'immutable'],
      ['/driver', 'immutable'],
    ],
  },
];
