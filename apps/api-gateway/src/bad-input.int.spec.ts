import { problemIn } from './testing/answers.js';
import { badBodies } from './testing/bad-body.cases.js';
import { badHeaders } from './testing/bad-header.cases.js';
import { badRequests } from './testing/bad-request.cases.js';
import { badTemplates } from './testing/bad-template.cases.js';
import { badTexts } from './testing/bad-text.cases.js';
import { GatewayStub } from './testing/gateway-stub.js';

describe('gateway: bad input', () => {
  let stub: GatewayStub;
  beforeAll(async () => (stub = await GatewayStub.start()));
  afterAll(() => stub.close());

  it.each([...badBodies, ...badHeaders, ...badRequests, ...badTemplates, ...badTexts])(
    'answers $status to $what',
    async ({ method = 'POST', path = '/v1/clusters', options, status, code, errors }) => {
      const answer = await stub.call(method, path, options);
      const problem = await problemIn(answer);
      expect([answer.status, problem.status]).toEqual([status, status]);
      expect(answer.headers.get('content-type')).toMatch('application/problem+json');
      expect(problem.correlationId).toBe(answer.headers.get('x-correlation-id'));
      expect(JSON.stringify(problem)).not.toMatch(/node_modules|\.ts:|FST_/);
      if (code) expect(problem.code).toBe(code);
      const found = problem.errors?.map(e => [e.pointer, e.code]);
      if (errors) expect(found?.sort()).toEqual([...errors].sort());
      expect(stub.seen).toEqual([]);
    },
  );

  it.each(['ünïcode', '日本 語', '❤️', 'שלום'])('accepts the label %s', async env => {
    const answer = await stub.call('POST', '/v1/clusters', { body: { driver: 'fake', labels: { env } } });
    expect((await problemIn(answer)).code).toBe('dependency-unavailable');
  });

  it('finds labels with invisible characters, which were accepted once', async () => {
    const answer = await stub.call('GET', `/v1/clusters?labels.env=${encodeURIComponent('\u202eprod')}`);
    expect((await problemIn(answer)).code).toBe('dependency-unavailable');
  });

  it('accepts If-Match: * of a change', async () => {
    const answer = await stub.call('PATCH', '/v1/clusters/web', {
      body: { description: 'x' },
      headers: { 'if-match': '*' },
    });
    expect((await problemIn(answer)).code).toBe('dependency-unavailable');
  });

  it('accepts a conductor group of 255 code points outside the basic plane', async () => {
    const answer = await stub.call('POST', '/v1/clusters', {
      body: { driver: 'fake', conductorGroup: '😀'.repeat(255) },
    });
    expect([answer.status, (await problemIn(answer)).code]).toEqual([503, 'dependency-unavailable']);
  });
});
