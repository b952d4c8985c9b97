import { expectProblem, expectStatus, uniqueName, type StaveAnswer } from '@stave/testing';
import { Fleet, small } from './fleet.js';
import type { StackOf } from './stack.js';

const group = { name: 'w', role: 'worker', flavor: small };
const cluster = { driver: 'fake' };

/** Refused requests for a new cluster: the defect, the body, the status, and the pointers to the invalid members. */
const bodies: readonly (readonly [string, object, number, readonly string[]])[] = [
  ['wrong types', { ...cluster, name: 5, labels: [], nodeGroups: 'x' }, 400, ['/name', '/labels', '/nodeGroups']],
  [
    'unknown members',
    { ...cluster, color: 'red', nodeGroups: [{ ...group, size: 1 }] },
    400,
    ['/color', '/nodeGroups/0/size'],
  ],
  ['a negative count', { ...cluster, nodeGroups: [{ ...group, count: -1 }] }, 400, ['/nodeGroups/0/count']],
  ['a fractional count', { ...cluster, nodeGroups: [{ ...group, count: 1.5 }] }, 400, ['/nodeGroups/0/count']],
  [
    'a count that is too large',
    { ...cluster, nodeGroups: [group, { ...group, name: 'v', count: 1e9 }] },
    400,
    ['/nodeGroups/1/count'],
  ],
  [
    'more than 100 groups',
    { ...cluster, nodeGroups: Array.from({ length: 101 }, (_, at) => ({ ...group, name: `g${at}` })) },
    400,
    ['/nodeGroups'],
  ],
  ['min above max', { ...cluster, nodeGroups: [{ ...group, minCount: 3, maxCount: 2, count: 3 }] }, 422, []],
  [
    'a driver option that violates its schema',
    { ...cluster, options: { latencyMs: 'slow' } },
    422,
    ['/options/latencyMs'],
  ],
  ['an unknown driver option', { ...cluster, options: { speed: 9 } }, 422, []],
  [
    'an invalid driver option of a node group',
    { ...cluster, nodeGroups: [{ ...group, options: { failFirst: -1 } }] },
    422,
    ['/nodeGroups/0/options/failFirst'],
  ],
  ['a conductor group of 256 characters', { ...cluster, conductorGroup: 'g'.repeat(256) }, 400, ['/conductorGroup']],
  ['two node groups with the same name', { ...cluster, nodeGroups: [group, { ...group, name: 'W' }] }, 422, []],
  [
    'a cluster without driver, role and flavor',
    { nodeGroups: [{ name: 'a' }] },
    422,
    ['/driver', '/nodeGroups/0/role', '/nodeGroups/0/flavor'],
  ],
  [
    '65 labels',
    { ...cluster, labels: Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`l${at}`, 'x'])) },
    400,
    ['/labels'],
  ],
  ['a number of the members of Object', { ...cluster, ['__proto__x']: 1, constructor: 1 }, 400, ['/constructor']],
];

const strangeNames = [
  '',
  ' ',
  '-a',
  'a-',
  'a b',
  'ünïcode',
  'a\u0000b',
  '\u202Eevil',
  'a\u200Bb',
  '💥',
  'ａｂｃ',
  'a'.repeat(64),
  '../etc',
  'a\nb',
];

/** Tests that invalid input is refused with every problem and changes nothing. */
export function describeBadInput(stack: StackOf): void {
  describe('bad input', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    /** Checks that no event of a new resource was appended. */
    async function leavesNothing(attempt: () => Promise<void>): Promise<void> {
      const before = await fleet.head();
      await attempt();
      expect(await fleet.head()).toBe(before);
    }
    const create = (body: object): Promise<StaveAnswer<unknown>> => fleet.api.post('/v1/clusters', body);

    it.each(bodies)('the API refuses %s', async (_, body, status, pointers) => {
      await leavesNothing(async () => void expectProblem(await create(body), status, ...pointers));
    });

    it.each(strangeNames.map(name => [JSON.stringify(name), name]))('the API refuses the name %s', async (_, name) => {
      await leavesNothing(async () => void expectProblem(await create({ ...cluster, name }), 400, '/name'));
    });

    it('the refusal of an unknown driver lists the offered drivers', async () => {
      await leavesNothing(async () => {
        const problem = expectProblem(await create({ driver: 'nobody' }), 503);
        expect(JSON.stringify(problem)).toContain('fake');
      });
    });

    it('the refusal of a conductor group without a conductor lists the served groups', async () => {
      await leavesNothing(async () => {
        for (const body of [
          { ...cluster, conductorGroup: 'nowhere' },
          { ...cluster, nodeGroups: [{ ...group, conductorGroup: 'nowhere' }] },
        ]) {
          const answer = await create(body);
          expect(JSON.stringify(expectProblem(answer, 503))).toContain('site-b');
          expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        }
      });
    });

    it('the API refuses a swarm_docker cluster without a manager', async () => {
      await leavesNothing(
        async () => void expectProblem(await create({ driver: 'swarm_docker', nodeGroups: [group] }), 422),
      );
    });

    it.each([
      ['malformed JSON', '{"driver": "fake"', 'application/json', 400],
      ['a body that is not JSON', 'driver: fake', 'text/plain', 415],
      ['an array', '[]', 'application/json', 400],
      ['an empty body', '', 'application/json', 400],
      [
        'a body of more than 256 KB',
        JSON.stringify({ ...cluster, description: 'x'.repeat(262_144) }),
        'application/json',
        413,
      ],
      ['JSON nested 50,000 levels deep', '['.repeat(50_000) + ']'.repeat(50_000), 'application/json', 400],
    ])('the API refuses %s', async (_, raw, contentType, status) => {
      await leavesNothing(async () => {
        expectProblem(await fleet.api.send('POST', '/v1/clusters', { raw, contentType }), status);
      });
    });

    it.each([
      '/v1/clusters?colour=red',
      '/v1/clusters?limit=0',
      '/v1/clusters?limit=501',
      '/v1/clusters?sort=shoe',
      '/v1/clusters?cursor=%00',
      '/v1/nodes?minPosition=-1',
    ])('the API refuses %s', async path => void expectProblem(await fleet.api.get(path), 400));

    it('the API answers 404 for unknown paths and ids', async () => {
      const unknownId = '01a1feaf-0000-7000-8000-000000000000';
      for (const path of [
        '/v1/nothing',
        `/v1/clusters/${unknownId}`,
        `/v1/clusters/${uniqueName('none')}`,
        `/v1/operations/${unknownId}`,
      ])
        expectProblem(await fleet.api.get(path), 404);
      expectProblem(await fleet.api.post(`/v1/clusters/${unknownId}/node-groups`, group), 404);
    });

    it('the API refuses a malformed If-Match and a malformed Idempotency-Key', async () => {
      const { id } = await fleet.cluster({}, []);
      await leavesNothing(async () => {
        expect([400, 412]).toContain((await fleet.api.delete(`/v1/clusters/${id}`, { ifMatch: 'rubbish' })).status);
        const long = { idempotencyKey: 'k'.repeat(10_000) };
        expectStatus(await fleet.api.post('/v1/clusters', cluster, long), 400);
      });
    });
  });
}
