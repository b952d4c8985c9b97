import { EventActor } from '../parts/event-actor.js';
import { Age } from '../parts/time.js';
import type { Size } from './use-sizes.js';

interface SizeChangeProps {
  readonly size: Size;
  /** What is counted, such as `node`. */
  readonly what: string;
}

/** A change of the number of nodes or members: when, from what to what, by whom, in which operation. */
export const SizeChange = ({ size: { event, before, value }, what }: SizeChangeProps) => (
  <>
    <span className="dim evaluation-time">
      <Age time={event.time} />
    </span>
    <span>
      {before === undefined ? null : `${before} → `}
      <b>{value}</b> {value === 1 ? what : `${what}s`}
    </span>
    <span className="dim">
      by <EventActor event={event} />
    </span>
  </>
);
