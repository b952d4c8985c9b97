import { WrongExpectedRevisionError, type AppendResult, type ExpectedRevision } from '../event-store.port.js';
import type { EventIndex } from './event-index.js';
import { encodeFrame } from './frame.codec.js';
import { ID_BYTES } from './event.codec.js';

export interface AppendRequest {
  readonly stream: string;
  readonly events: readonly Buffer[];
  readonly expected: ExpectedRevision;
}

export type AppendOutcome = { readonly result: AppendResult } | { readonly conflict: WrongExpectedRevisionError };

interface Place {
  readonly revision: number;
  readonly position: number;
}

/** Appends that one write makes durable, each checked against the log and its predecessors in the group. */
export class CommitGroup {
  readonly frames: Buffer[] = [];
  private readonly revisions = new Map<string, number>();
  private readonly places = new Map<string, Place>();
  private nextPosition: number;

  /** `durable` is the length of the log on disk. */
  constructor(
    private readonly index: EventIndex,
    private readonly durable: number,
  ) {
    this.nextPosition = index.size;
  }

  /** Decides one append. The outcome is valid once the group is durable. */
  add(request: AppendRequest): AppendOutcome {
    const { stream, expected } = request;
    const current = this.revisions.get(stream) ?? this.index.lastRevision(stream);
    const wanted = expected === 'any' ? current : expected === 'no_stream' ? -1 : expected;
    const places = request.events.map(event => this.locate(stream, event));
    const earlier = earlierResult(places);
    const repeats = earlier && (expected === 'any' || wanted === current || wanted === earlier.before);
    if (earlier && repeats) return { result: { revision: earlier.revision, position: earlier.position } };
    if (wanted !== current || places.some(place => place !== undefined)) {
      return { conflict: new WrongExpectedRevisionError(stream, expected, current < 0 ? 'no_stream' : current) };
    }
    return { result: this.write(request, current + 1) };
  }

  private write({ stream, events }: AppendRequest, firstRevision: number): AppendResult {
    const firstPosition = this.nextPosition;
    this.frames.push(encodeFrame({ stream, firstRevision, firstPosition, durable: this.durable, events }));
    events.forEach((event, i) => {
      this.places.set(placeKey(stream, event), { revision: firstRevision + i, position: firstPosition + i });
    });
    this.nextPosition += events.length;
    const revision = firstRevision + events.length - 1;
    this.revisions.set(stream, revision);
    return { revision, position: this.nextPosition - 1 };
  }

  private locate(stream: string, event: Buffer): Place | undefined {
    return this.places.get(placeKey(stream, event)) ?? this.index.locate(stream, event);
  }
}

function placeKey(stream: string, event: Buffer): string {
  return event.toString('latin1', 0, ID_BYTES) + stream;
}

/** Returns the place of the last event when all of them are stored already, in consecutive order. */
function earlierResult(places: readonly (Place | undefined)[]): (Place & { before: number }) | undefined {
  const first = places[0];
  const last = places.at(-1);
  if (!first || !last) return undefined;
  const whole = places.every((place, i) => place?.revision === first.revision + i);
  return whole ? { ...last, before: first.revision - 1 } : undefined;
}
