import { anEvent } from '../../contract/contract.fixture.js';
import type { EventStore, NewEvent } from '../../event-store.port.js';

const STREAMS = 120;

export type Random = () => number;
export interface Written {
  readonly stream: string;
  readonly events: readonly NewEvent[];
}

export const below = (random: Random, limit: number): number => Math.floor(random() * limit);
export const pick = <T>(random: Random, list: readonly T[]): T => list[below(random, list.length)] as T;

/** Appends to streams of which some live long and most are short, to both stores. */
export async function grow(random: Random, stores: readonly EventStore[], appends: number): Promise<Written[]> {
  const written: Written[] = [];
  for (let n = 0; n < appends; n++) {
    const kind = random() < 0.3 ? 'long' : 'node';
    const stream = `${kind}-${below(random, kind === 'long' ? 3 : STREAMS)}é`;
    const events = Array.from({ length: 1 + below(random, 4) }, () => anEvent());
    const results = await Promise.all(stores.map(store => store.append(stream, events, 'any')));
    expect(results.every(result => result.position === results[0]?.position)).toBe(true);
    written.push({ stream, events });
  }
  return written;
}

/** Asks both stores the same random questions. */
export async function compare(
  random: Random,
  store: EventStore,
  model: EventStore,
  written: readonly Written[],
): Promise<void> {
  const asked = async (ask: (one: EventStore) => Promise<unknown>): Promise<void> => {
    const [found, expected] = [await ask(store).catch(named), await ask(model).catch(named)];
    expect(found).toEqual(expected);
  };
  for (let n = 0; n < 60; n++) {
    const { stream, events } = pick(random, written);
    const options = {
      ...(random() < 0.5 && { from: below(random, 12) }),
      ...(random() < 0.5 && { limit: below(random, 9) }),
    };
    await asked(one => one.readStream(stream, options));
    await asked(one => one.readStream(stream, { ...options, direction: 'backwards' }));
    const filter = { streamPrefixes: [pick(random, ['node-1', 'long-', 'none', 'node-7'])] };
    const range = { after: below(random, written.length * 3) - 1, limit: 1 + below(random, 50) };
    const page = { ...range, ...(random() < 0.7 && { filter }) };
    const expected = pick(random, ['any', 'no_stream', 0, 3] as const);
    const fresh = [anEvent()];
    await asked(one => one.readAll(page));
    await asked(one => one.append(stream, events, expected));
    await asked(one => one.append(stream, fresh, 'no_stream'));
  }
  await asked(one => one.readAll({ limit: Infinity }));
}

const named = (error: unknown): unknown => (error instanceof Error ? [error.name, error.message] : error);
