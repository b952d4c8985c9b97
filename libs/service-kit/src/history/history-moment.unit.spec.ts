import { RefusedError } from '@stave/contracts';
import { HistoryCursor, instantOf, momentOf, notThen, type Moment } from './history-moment.js';
import { HistoryTimes } from './history-times.js';

it.each([
  ['7', { kind: 'revision', revision: 7 }],
  ['2026', { kind: 'revision', revision: 2026 }],
  ['2026-11-21', { kind: 'time', time: '2026-11-21T00:00:00.000Z' }],
  ['2026-11-21T10:00Z', { kind: 'time', time: '2026-11-21T10:00:00.000Z' }],
  ['2026-11-21T10:00:00.1234+02:00', { kind: 'time', time: '2026-11-21T08:00:00.123Z' }],
])('momentOf parses %s', (text, moment) => expect(momentOf(text, '?at')).toEqual(moment));

it.each(['', 'now', '-1', '1.5', '2026-13-01', '2026-11-21T10:00', '1234567890', '2026-11-31', '2026-02-30T10:00Z'])(
  'momentOf refuses %j',
  text => {
    const refusal = { kind: 'invalid', errors: [{ pointer: '?from', code: 'invalid-time' }] };
    expect(() => momentOf(text, '?from')).toThrow(RefusedError);
    try {
      momentOf(text, '?from');
    } catch (error) {
      expect(error).toMatchObject({ error: refusal });
    }
  },
);

it('instantOf refuses a revision', () => {
  expect(() => instantOf('7', '?at')).toThrow(RefusedError);
});

it.each<[Moment, number | undefined, string]>([
  [{ kind: 'time', time: '2026-11-21T10:00:00.000Z' }, undefined, '?to: the node did not exist then'],
  [{ kind: 'revision', revision: 6 }, 5, '?to: the node has no revision 6, the last before that is 5'],
  [{ kind: 'revision', revision: 6 }, undefined, '?to: the node has no revision 6'],
])('notThen reports the moment and the reason', (moment, before, detail) => {
  expect(notThen('the node', moment, '?to', before).error).toMatchObject({ kind: 'not-found', detail });
});

describe('HistoryCursor', () => {
  const now = Date.parse('2026-11-21T10:00:00.000Z');
  const past = '2026-11-20T00:00:00.000Z';

  it('keeps the instant on all pages', () => {
    const first = new HistoryCursor(past, undefined, now);
    expect([first.time, first.listCursor]).toEqual([past, undefined]);
    const next = new HistoryCursor(past, first.next('abc.d'), now);
    expect([next.time, next.listCursor]).toEqual([past, 'abc.d']);
  });

  it('keeps the instant of the first page for a request of a future time', () => {
    const first = new HistoryCursor('2030-01-01T00:00:00.000Z', undefined, now);
    expect(first.time).toBe(new Date(now).toISOString());
    const next = new HistoryCursor('2030-01-01T00:00:00.000Z', first.next('p'), now + 60_000);
    expect(next.time).toBe(first.time);
  });

  it('refuses a cursor of another time', () => {
    const cursor = new HistoryCursor(past, undefined, now).next('p');
    for (const other of ['2026-11-20T00:00:00.001Z', '2026-11-21T00:00:00.000Z', '2030-01-01T00:00:00.000Z'])
      expect(() => new HistoryCursor(other, cursor, now)).toThrow(RefusedError);
  });

  it.each(['', 'p', '12', '.p', `${now}.p`, '99999999999999999.p'])('refuses %j', cursor => {
    expect(() => new HistoryCursor(past, cursor, now)).toThrow(RefusedError);
  });
});

describe('HistoryTimes', () => {
  it('returns a position up to which no event is later than the time, close to the last such position', () => {
    const times = new HistoryTimes();
    const timeOf = (i: number): string => new Date((i - (i % 3) * 40) * 1000).toISOString();
    const metadata = (i: number) => ({ schemaVersion: 1, time: timeOf(i), correlationId: 'c' });
    for (let position = 0; position < 10_000; position++)
      times.note({ id: '', type: '', data: {}, stream: 's', revision: 0, position, metadata: metadata(position) });
    for (let i = 0; i < 10_000; i += 997) {
      const floor = times.floor(timeOf(i));
      for (let p = 0; p <= floor; p++) expect(timeOf(p) <= timeOf(i)).toBe(true);
      if (i > 1_000) expect(floor).toBeGreaterThan(i - 700);
    }
    expect(times.floor('')).toBe(-1);
  });
});
