import { Link } from 'wouter';
import type { StaveEvent } from '../api/types.js';
import { actorOf } from './event-words.js';

/** Who caused an event, and the operation that it belongs to. */
export const EventActor = ({ event }: { readonly event: StaveEvent }) => (
  <>
    {actorOf(event)}
    {event.operationid ? (
      <>
        {', '}
        <Link href={`/operations/${event.operationid}`}>operation</Link>
      </>
    ) : null}
  </>
);
