import type { RecordedEvent } from '@stave/platform';
import type { Feed } from '../events/feed.js';

/** Operations whose commands are remembered: more than run at a time where traces are sampled. */
const MOST = 10_000;

/** The spans of the commands that operations follow from, so that claims and tasks can be linked to them. */
export class OperationTraces {
  private readonly spans = new Map<string, string>();

  constructor(feed: Pick<Feed, 'onEvery'>) {
    feed.onEvery(event => this.note(event));
  }

  /** Returns the `traceparent` of the command; undefined where it was not traced, or long ago. */
  of(operationId: string): string | undefined {
    return this.spans.get(operationId);
  }

  private note({ data, metadata: { traceparent, operationId } }: RecordedEvent): void {
    if (traceparent === undefined) return;
    const { operation } = data as { readonly operation?: { readonly id?: string } };
    const id = operation?.id ?? operationId;
    if (id === undefined || this.spans.has(id)) return;
    this.spans.set(id, traceparent);
    const [oldest = ''] = this.spans.keys();
    if (this.spans.size > MOST) this.spans.delete(oldest);
  }
}
