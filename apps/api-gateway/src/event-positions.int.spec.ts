import { EmbeddedEventStore } from '@stave/platform';
import { eventually, withSparsePositions } from '@stave/platform/testing';
import { EventStreamClient } from './testing/event-stream-client.js';
import { anEvent, GatewayStub } from './testing/gateway-stub.js';

const cluster = 'cluster-0198c5a0-0000-7000-8000-000000000001';

describe('positions of an event store that reads only from positions of events', () => {
  let stub: GatewayStub;
  let embedded: EmbeddedEventStore;
  const positions: number[] = [];

  beforeAll(async () => {
    embedded = await EmbeddedEventStore.open({ memory: true });
    const eventStore = withSparsePositions(embedded, { refuse: true });
    stub = await GatewayStub.start({ eventStore });
    for (const n of [0, 1, 2])
      positions.push((await eventStore.append(cluster, [anEvent('ClusterUpdated', {}, { n })], 'any')).position);
  });

  afterAll(async () => {
    await stub.close();
    await embedded.close();
  });

  const get = (query: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${stub.url}/v1/events${query}`, { headers: { authorization: 'Bearer admin', ...headers } });

  it.each([
    ['page', (position: number) => get(`?since=${position}`)],
    ['stream', (position: number) => get(`?from=${position}`)],
    ['resumed stream', (position: number) => get('', { 'last-event-id': String(position) })],
  ])('a %s from a position that no event has is refused with 400', async (_, from) => {
    const answer = await from((positions[1] ?? 0) - 1);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'unknown-position' });
  });

  it('pages and streams begin after the event whose position is given', async () => {
    const page = await get(`?since=${positions[0]}`);
    expect(page.status).toBe(200);
    expect(JSON.stringify(await page.json())).toContain(`"position":"${positions[1]}"`);
    const client = await EventStreamClient.open(`${stub.url}/v1/events?from=${positions[0]}`, 'admin');
    await eventually(() => client.events.length === 2, 'both events came');
    client.close();
    expect(client.ids.map(Number)).toEqual(positions.slice(1));
  });
});
