import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, eventually, expectStatus, natsMissing, StaveClient, uniqueName } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../distributed/stack.js';
import type { CloudEventView, ResourceView } from '../e2e/views.js';
import { startSpanSink, type SunkSpan } from './span-sink.js';

jest.setTimeout(240_000);

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SECRET = 'a-description-that-is-nobodys-business';

describeOn(natsMissing(), 'traces of the product in separate processes', () => {
  let sink: Awaited<ReturnType<typeof startSpanSink>>;
  let dataDir: string;
  let stack: DistributedStack;

  beforeAll(async () => {
    sink = await startSpanSink();
    dataDir = await mkdtemp(join(tmpdir(), 'stave-traced-'));
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, OTEL_BSP_SCHEDULE_DELAY: '200' };
    stack = await startDistributed({ dataDir, conductors: [{ id: 'one', group: '' }], env });
  });
  afterAll(async () => {
    await stack.close();
    await sink.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('a creation is one connected trace, from the request over the append and the claim to the steps of the driver', async () => {
    const client = new StaveClient(stack.url, stack.adminKey);
    const groups = [{ name: 'w', role: 'worker', count: 1, flavor: { cpus: 1, memoryMb: 512 } }];
    const body = { name: uniqueName('c'), driver: 'fake', description: SECRET, nodeGroups: groups };
    const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    const created = expectStatus(await client.send<ResourceView>('POST', '/v1/clusters', { body, headers }), 202);
    const spans = await eventually(() => connected(sink.spans), { timeoutMs: 60_000, what: 'a report in the trace' });

    const request = only(spans, 'POST /v1/clusters');
    expect(request).toMatchObject({ service: 'api-gateway', traceId: TRACE, parentSpanId: '00f067aa0ba902b7' });
    const command = only(spans, 'cluster.create');
    expect(command).toMatchObject({ service: 'cluster-service', traceId: TRACE, parentSpanId: request.spanId });
    const append = spans.find(({ name, parentSpanId }) => name === 'append cluster' && parentSpanId === command.spanId);
    expect(append).toMatchObject({ service: 'cluster-service', traceId: TRACE });

    const cause = expect.arrayContaining([expect.objectContaining({ traceId: TRACE })]);
    const claim = only(spans, 'claim node.create');
    expect(claim).toMatchObject({ service: 'nodegroup-service', links: cause });
    expect(claim.traceId).not.toBe(TRACE);
    const task = only(spans, 'task node.create');
    expect(task).toMatchObject({
      service: 'conductor',
      traceId: claim.traceId,
      parentSpanId: claim.spanId,
      links: cause,
    });
    const below = spans.filter(({ parentSpanId }) => parentSpanId === task.spanId).map(({ name }) => name);
    expect(below).toEqual(expect.arrayContaining(['step begin', 'step build node', 'task.report']));

    const path = `/v1/clusters/${created.body.id}/events?limit=10`;
    const [first] = await client.list<CloudEventView & { readonly traceparent?: string }>(path);
    expect(first?.traceparent).toBe(`00-${TRACE}-${append?.spanId}-01`);
    const text = JSON.stringify(sink.spans);
    for (const secret of [stack.adminKey, SECRET]) expect(text).not.toContain(secret);
  });
});

const only = (spans: readonly SunkSpan[], name: string): SunkSpan => {
  const [found, ...others] = spans.filter(span => span.name === name);
  if (!found || others.length > 0) throw new Error(`${name}: ${others.length + (found ? 1 : 0)} spans`);
  return found;
};

/** Returns the spans when the report of the node is among them. */
function connected(spans: readonly SunkSpan[]): readonly SunkSpan[] | undefined {
  const task = spans.find(({ name }) => name === 'task node.create');
  const isReported = spans.some(({ name, parentSpanId }) => name === 'task.report' && parentSpanId === task?.spanId);
  return task && isReported ? [...spans] : undefined;
}
