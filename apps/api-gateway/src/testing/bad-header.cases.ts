import type { BadInput } from './bad-input.case.js';

const change = (name: string, value: string) => ({
  method: 'PATCH',
  path: '/v1/clusters/web',
  options: { body: { description: 'x' }, headers: { [name]: value } },
});
const get = (path: string, headers: Record<string, string>) => ({
  method: 'GET',
  path: `/v1/${path}`,
  options: { headers },
});
const created = (name: string, value: string) => ({
  options: { body: { driver: 'fake' }, headers: { [name]: value } },
});
const unused = (name: string) => [[name, 'header-without-effect']] as const;

const reads = ['clusters', 'clusters/web', 'clusters/web/events', 'operations/c-1', 'events?since=start', 'whoami'];

/** Requests with headers that have no effect on them, or that state what cannot be. */
export const badHeaders: readonly BadInput[] = [
  ...reads.map(path => ({
    what: `an idempotency key of a read of ${path}`,
    ...get(path, { 'idempotency-key': 'k' }),
    status: 400,
    errors: unused('Idempotency-Key'),
  })),
  ...reads.map(path => ({
    what: `If-Match of a read of ${path}`,
    ...get(path, { 'if-match': '*' }),
    status: 400,
    errors: unused('If-Match'),
  })),
  ...['*', '"1"'].map(revision => ({
    what: `If-Match: ${revision} of a creation`,
    ...created('if-match', revision),
    status: 412,
    code: 'nothing-to-match',
  })),
  ...['*', '"1"', 'W/"1"'].flatMap(tag => [
    {
      what: `If-None-Match: ${tag} of a creation`,
      ...created('if-none-match', tag),
      status: 400,
      errors: unused('If-None-Match'),
    },
    {
      what: `If-None-Match: ${tag} of a change`,
      ...change('if-none-match', tag),
      status: 400,
      errors: unused('If-None-Match'),
    },
  ]),
  ...['operations/c-1/cancel', 'read-models/nodes/actions/rebuild', 'conductors/c/actions/drain'].map(path => ({
    what: `If-Match of ${path}`,
    path: `/v1/${path}`,
    options: { body: {}, headers: { 'if-match': '"1"' } },
    status: 400,
    errors: unused('If-Match'),
  })),
  {
    what: 'every header without effect at once',
    ...get('clusters/web', { 'if-match': '"1"', 'idempotency-key': 'k', 'stave-min-position': 'x' }),
    status: 400,
    errors: [
      ['If-Match', 'header-without-effect'],
      ['Idempotency-Key', 'header-without-effect'],
      ['Stave-Min-Position', 'malformed-header'],
    ],
  },
];
