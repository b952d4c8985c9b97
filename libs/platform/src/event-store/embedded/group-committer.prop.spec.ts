import * as fc from 'fast-check';
import { WrongExpectedRevisionError, type ExpectedRevision, type NewEvent } from '../event-store.port.js';
import { EmbeddedEventStore } from './embedded.event-store.js';

const TIME = '2026-01-02T03:04:05.678Z';
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const eventOf = (n: number): NewEvent => ({
  id: idOf(n),
  type: 'Counted',
  data: { n },
  metadata: { schemaVersion: 1, time: TIME, correlationId: 'c' },
});

interface Attempt {
  readonly stream: string;
  readonly ids: readonly number[];
  readonly expected: ExpectedRevision;
}

type Outcome = { revision: number; position: number } | { actual: number | 'no_stream' };

/** A model of the port's rules on plain lists. */
class Model {
  readonly log: { stream: string; id: number }[] = [];

  append({ stream, ids, expected }: Attempt): Outcome {
    const positions = this.log.flatMap((event, position) => (event.stream === stream ? [position] : []));
    const own = positions.map(position => this.log[position]?.id);
    const current = own.length - 1;
    const wanted = expected === 'any' ? current : expected === 'no_stream' ? -1 : expected;
    const start = own.indexOf(ids[0]);
    const repeated = start >= 0 && ids.every((id, i) => own[start + i] === id);
    if (repeated && (expected === 'any' || wanted === start - 1 || wanted === current)) {
      const revision = start + ids.length - 1;
      return { revision, position: positions[revision] ?? -1 };
    }
    if (wanted !== current || ids.some(id => own.includes(id))) return { actual: current < 0 ? 'no_stream' : current };
    this.log.push(...ids.map(id => ({ stream, id })));
    return { revision: current + ids.length, position: this.log.length - 1 };
  }
}

const attempts = fc.array(
  fc.record({
    stream: fc.constantFrom('a-1', 'a-2', 'b-1'),
    ids: fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 4 }),
    expected: fc.oneof(fc.constantFrom<ExpectedRevision>('any', 'no_stream'), fc.integer({ min: 0, max: 8 })),
  }),
  { maxLength: 40 },
);

describe('appends of the embedded event store', () => {
  it('appends follow the rules of the port one by one and in groups', async () => {
    await fc.assert(
      fc.asyncProperty(attempts, fc.integer({ min: 1, max: 8 }), async (all, together) => {
        const store = await EmbeddedEventStore.open({ memory: true });
        const model = new Model();
        for (let at = 0; at < all.length; at += together) {
          const group = all.slice(at, at + together);
          const append = (attempt: Attempt): Promise<Outcome> =>
            store
              .append(attempt.stream, attempt.ids.map(eventOf), attempt.expected)
              .catch((error: WrongExpectedRevisionError) => ({ actual: error.actual }));
          expect(await Promise.all(group.map(append))).toEqual(group.map(attempt => model.append(attempt)));
        }
        const stored = await store.readAll({ limit: Infinity });
        expect(stored.map(({ stream, id }) => ({ stream, id }))).toEqual(
          model.log.map(({ stream, id }) => ({ stream, id: idOf(id) })),
        );
        await store.close();
      }),
      { numRuns: 200 },
    );
  });

  it('appends in order are those of the model up to the first that is refused, whatever shares their group', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          attempts.filter(all => all.length > 0),
          { maxLength: 8 },
        ),
        async sequences => {
          const store = await EmbeddedEventStore.open({ memory: true });
          const model = new Model();
          const expected = sequences.map(all => {
            const outcomes: Outcome[] = [];
            for (const attempt of all) {
              const outcome = model.append(attempt);
              if ('actual' in outcome) return outcome;
              outcomes.push(outcome);
            }
            return outcomes;
          });
          const inOrder = (all: readonly Attempt[]): Promise<readonly Outcome[] | Outcome> =>
            store
              .appendInOrder(all.map(({ ids, ...rest }) => ({ ...rest, events: ids.map(eventOf) })))
              .catch((error: WrongExpectedRevisionError) => ({ actual: error.actual }));
          expect(await Promise.all(sequences.map(inOrder))).toEqual(expected);
          expect(await store.head()).toBe(model.log.length - 1);
          await store.close();
        },
      ),
      { numRuns: 200 },
    );
  });
});
