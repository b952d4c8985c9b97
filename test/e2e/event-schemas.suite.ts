import { schemaCheck } from '../event-schemas/schema-check.js';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { CloudEventView } from './views.js';

const WRONG_SHOWN = 5;

/**
 * Tests all events of the run. This suite must be the last one, because the others create events of many types.
 */
export function describeEventSchemas(stack: StackOf): void {
  it('every event of this test run matches the schema of its type', async () => {
    const { api } = new Fleet(stack());
    const problemOf = schemaCheck();
    const seen = new Set<string>();
    const wrong: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { items: CloudEventView[]; nextCursor: string | null } = await api.read(
        `/v1/events?since=start&limit=500${cursor && `&cursor=${cursor}`}`,
      );
      for (const event of page.items) {
        seen.add(event.type);
        const problem = problemOf(event);
        if (problem !== undefined) wrong.push(problem);
      }
      cursor = page.nextCursor;
    }
    expect(wrong.slice(0, WRONG_SHOWN)).toEqual([]);
    expect(seen.size).toBeGreaterThan(40);
  });
}
