import { guideRequests } from './guide-requests.js';

const block = (promise: string, text: string): string => `Text.\n\n${promise}\n\n\`\`\`http\n${text}\n\`\`\`\n`;

it('guideRequests finds requests with headers, bodies and expected statuses', () => {
  const page =
    block('<!-- 201 -->', 'POST /v1/projects\nIf-Match: "1"\n\n{ "name": "a" }') +
    block('<!-- 202, not awaited -->', 'DELETE /v1/clusters/web');
  expect(guideRequests(page)).toEqual([
    {
      line: 5,
      method: 'POST',
      path: '/v1/projects',
      headers: { 'if-match': '"1"' },
      body: '{ "name": "a" }',
      status: 201,
      awaited: true,
    },
    { line: 15, method: 'DELETE', path: '/v1/clusters/web', headers: {}, status: 202, awaited: false },
  ]);
});

it('guideRequests refuses a block without an expected status and a line that is not a request', () => {
  expect(() => guideRequests(block('', 'GET /v1/clusters'))).toThrow('the block has no expected status');
  expect(() => guideRequests(block('<!-- 200 -->', 'clusters'))).toThrow('is not a request line');
});
