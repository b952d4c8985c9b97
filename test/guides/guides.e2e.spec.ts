import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectStatus, operationIdOf, positionOf, StaveClient } from '@stave/testing';
import { startEmbedded, type Stack } from '../e2e/stack.js';
import { docPages, docsDirectory } from './doc-pages.js';
import { guideRequests, type GuideRequest } from './guide-requests.js';

jest.setTimeout(120_000);

const guides = docPages()
  .map(name => ({ name, requests: guideRequests(readFileSync(join(docsDirectory, name), 'utf8')) }))
  .filter(({ requests }) => requests.length > 0);

/**
 * The values of the last answers that a page can use: `{id}` of the resource, `{operation}` of the command,
 * `{planToken}` of the plan.
 */
interface Last {
  readonly id: string;
  readonly operation: string;
  readonly planToken: string;
}

/** Sends the requests of a page in order, each after the operation of the one before has ended. */
class Reader {
  private last: Last = { id: '', operation: '', planToken: '' };
  private position = '0';

  constructor(private readonly client: StaveClient) {}

  async send({ method, path, headers, body, status, awaited }: GuideRequest): Promise<void> {
    const filled = path
      .replace('{id}', this.last.id)
      .replace('{operation}', this.last.operation)
      .replace('{planToken}', this.last.planToken);
    const answer = await this.client.send<{ readonly id?: string; readonly planToken?: string } | undefined>(
      method,
      filled,
      {
        headers: { 'Stave-Min-Position': this.position, ...headers },
        ...(body === undefined ? {} : { raw: body }),
      },
    );
    expectStatus(answer, status);
    if (method === 'GET') return;
    const operation = operationIdOf(answer);
    const { id = this.last.id, planToken = this.last.planToken } = answer.body ?? {};
    this.last = { id, operation: operation ?? this.last.operation, planToken };
    if (answer.headers.has('stave-position')) this.position = positionOf(answer);
    if (operation === undefined || !awaited) return;
    const ended = await this.client.get<{ readonly status: string }>(`/v1/operations/${operation}?wait=50s`);
    if (ended.body.status !== 'SUCCEEDED') throw new Error(`${answer.request} ended ${ended.text}`);
    this.position = positionOf(ended);
  }
}

it('the docs contain pages with requests', () => expect(guides.map(({ name }) => name)).not.toEqual([]));

describe.each(guides)('the requests of docs/$name', ({ requests }) => {
  let stack: Stack | undefined;
  let reader: Reader;
  beforeAll(async () => {
    stack = await startEmbedded();
    reader = new Reader(new StaveClient(stack.url, stack.adminKey));
  });
  afterAll(() => stack?.close());

  it.each(requests)('the request in line $line, $method $path, is answered with $status', request =>
    reader.send(request),
  );
});
