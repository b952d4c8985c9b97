import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectStatus, repositoryRoot, StaveClient } from '@stave/testing';
import { EmbeddedStack } from '../e2e/stack.js';
import { startSpanSink } from './span-sink.js';

jest.setTimeout(240_000);

const REQUESTS = 600;
const SAMPLED = 'a'.repeat(32);
const UNSAMPLED = 'b'.repeat(32);
const PARENT = '00f067aa0ba902b7';

/** Returns the variables before the command of the block about traces. */
function variablesOfPage(): Record<string, string> {
  const page = readFileSync(join(repositoryRoot(), 'docs', 'operate', 'observe.md'), 'utf8');
  const [, variables = ''] = /^(OTEL_EXPORTER_OTLP_ENDPOINT=.*) npm start$/m.exec(page) ?? [];
  return Object.fromEntries(variables.split(' ').map(variable => variable.split('=', 2)));
}

/** The number from 0 to 1 that the ratio is compared with: OpenTelemetry takes the parts of the id of a trace together. */
const placeOf = (traceId: string): number =>
  (traceId.match(/.{8}/g) ?? []).reduce((sum, part) => (sum ^ parseInt(part, 16)) >>> 0, 0) / 2 ** 32;

describe('the sampler of docs/operate/observe.md', () => {
  it('exports its share of the traces that begin here, and of others what their beginning decided', async () => {
    const variables = variablesOfPage();
    expect(variables).toMatchObject({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' });
    const ratio = Number(variables['OTEL_TRACES_SAMPLER_ARG']);
    expect(ratio).toBeGreaterThan(0);
    const sink = await startSpanSink();
    const stack = await EmbeddedStack.start(undefined, { ...variables, OTEL_EXPORTER_OTLP_ENDPOINT: sink.url });
    try {
      const client = new StaveClient(stack.url, stack.adminKey);
      const send = async (headers: Record<string, string> = {}) =>
        expectStatus(await client.send('GET', '/v1/projects', { headers }), 200);
      for (let sent = 0; sent < REQUESTS; sent++) await send();
      for (let sent = 0; sent < 20; sent++) {
        await send({ traceparent: `00-${SAMPLED}-${PARENT}-01` });
        await send({ traceparent: `00-${UNSAMPLED}-${PARENT}-00` });
      }
    } finally {
      // the end of the process sends what is left
      await stack.close();
      await sink.close();
    }
    const requests = sink.spans.filter(({ name }) => name === 'GET /v1/projects').map(({ traceId }) => traceId);
    expect(requests.filter(id => id === SAMPLED)).toHaveLength(20);
    expect(requests.filter(id => id === UNSAMPLED)).toEqual([]);
    const own = requests.filter(id => id !== SAMPLED);
    expect(own.filter(id => placeOf(id) > ratio)).toEqual([]);
    // with 30 expected, a test of the right share fails here less often than once in a billion runs
    expect(own.length).toBeGreaterThan(0);
    expect(own.length).toBeLessThan(REQUESTS * ratio * 3);
  });
});
