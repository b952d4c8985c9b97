import { eventually, expectProblem, positionOf, type StaveClient } from '@stave/testing';
import { EventReader } from './event-reader.js';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { CloudEventView } from './views.js';

/** Reads all events in order, in pages of `limit`. */
async function pages(api: StaveClient, query: string, limit: number): Promise<CloudEventView[]> {
  const found: CloudEventView[] = [];
  let cursor = '';
  for (;;) {
    const path = `/v1/events?${query}&limit=${limit}${cursor}`;
    const { items, nextCursor } = await api.read<{ items: CloudEventView[]; nextCursor: string | null }>(path);
    found.push(...items);
    if (nextCursor === null || items.length === 0) return found;
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
}

export function describeEvents(stack: StackOf): void {
  describe('events', () => {
    let fleet: Fleet;
    const readers: EventReader[] = [];
    beforeAll(() => void (fleet = new Fleet(stack())));
    afterAll(() => Promise.all(readers.map(reader => reader.close())));
    async function open(query: string, lastEventId?: string): Promise<EventReader> {
      const reader = await EventReader.open(fleet.api, query, lastEventId);
      readers.push(reader);
      return reader;
    }
    const ids = (events: readonly CloudEventView[]): string[] => events.map(({ id }) => id);

    it('live events arrive in order, and a filter selects those of one cluster', async () => {
      const { id } = await fleet.cluster({}, [{ count: 0 }]);
      const live = await open(`from=now&cluster=${id}`);
      await fleet.cluster({}, [{ count: 1 }]);
      await fleet.api.succeed(fleet.api.post(`/v1/clusters/${id}/node-groups/w/actions/resize`, { count: 2 }));
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${id}`));
      await eventually(() => live.events.some(({ type }) => /cluster\.deleted/i.test(type)));
      for (const event of live.events) expect(event.cluster).toBe(id);
      const positions = live.events.map(({ position }) => Number(position));
      expect(positions).toEqual([...positions].sort((a, b) => a - b));
    });

    it('a stream from the start, a stream resumed at any position and pages of any size show the same events', async () => {
      const { id } = await fleet.cluster({}, [{ count: 3 }]);
      const accepted = await fleet.api.patch(`/v1/clusters/${id}`, { description: 'last' });
      const all = (await pages(fleet.api, `since=start&cluster=${id}`, 500)).filter(
        ({ position }) => Number(position) <= Number(positionOf(accepted)),
      );
      expect(all.length).toBeGreaterThan(10);
      expect(new Set(ids(all)).size).toBe(all.length);
      const small = await pages(fleet.api, `since=start&cluster=${id}`, 7);
      expect(ids(small).slice(0, all.length)).toEqual(ids(all));
      const full = await open(`from=start&cluster=${id}`);
      await eventually(() => full.events.length >= all.length);
      expect(ids(full.events).slice(0, all.length)).toEqual(ids(all));
      for (const at of [0, 1, Math.floor(all.length / 2), all.length - 2]) {
        const resumed = await open(`cluster=${id}`, full.ids[at]);
        const rest = ids(all).slice(at + 1);
        await eventually(() => resumed.events.length >= rest.length);
        expect(ids(resumed.events).slice(0, rest.length)).toEqual(rest);
        const since = await pages(fleet.api, `since=${full.ids[at]}&cluster=${id}`, 5);
        expect(ids(since).slice(0, rest.length)).toEqual(rest);
      }
    });

    it('a reader that resumes while events are written sees no gap', async () => {
      const { id } = await fleet.cluster({}, [{ count: 0 }]);
      const seen: string[] = [];
      let last: string | undefined;
      const path = `/v1/clusters/${id}`;
      for (let round = 0; round < 6; round++) {
        const before = seen.length;
        const reader = await open(`from=start&cluster=${id}`, last);
        await fleet.api.patch(path, { description: `round ${round}` });
        await eventually(() => reader.events.length > 0);
        await reader.close();
        seen.push(...ids(reader.events));
        last = reader.ids.at(-1);
        expect(seen.length).toBeGreaterThan(before);
      }
      const all = ids(await pages(fleet.api, `since=start&cluster=${id}`, 500));
      expect(seen).toEqual(all.slice(0, seen.length));
    });

    it('events are filtered by time and type', async () => {
      const before = new Date().toISOString();
      const { id } = await fleet.cluster({}, [{ count: 0 }]);
      const events = await pages(fleet.api, `since=${before}&type=stave.cluster.created.v1`, 50);
      expect(events.map(({ cluster }) => cluster)).toContain(id);
      expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['stave.cluster.created.v1']));
    });

    it.each(['from=yesterday', 'from=-1', 'since=start&from=now', 'limit=5', 'colour=red'])(
      'the event stream refuses the query %s',
      async query => {
        expectProblem(await fleet.api.get(`/v1/events?${query}`), 400);
      },
    );

    it('events show the history of one resource and of one operation', async () => {
      const { id, operationId } = await fleet.cluster({}, [{ count: 1 }]);
      const history = await fleet.api.list<CloudEventView>(`/v1/clusters/${id}/events`);
      expect(history[0]?.type).toBe('stave.cluster.created.v1');
      for (const event of history) expect(event.subject).toBe(`cluster/${id}`);
      const operation = await fleet.api.list<CloudEventView & { operationid?: string }>(
        `/v1/operations/${operationId}/events`,
      );
      expect(operation.length).toBeGreaterThan(0);
      for (const event of operation) expect(event.operationid).toBe(operationId);
    });
  });
}
