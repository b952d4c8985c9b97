import { VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useEventDifference, useEvents, useNewEvents, type EventChoice } from '../api/events.js';
import type { StaveEvent } from '../api/types.js';
import { EventActor } from './event-actor.js';
import { useAddressAt } from '../time/moment.js';
import { eventTitle, resourceTypeOf, subjectOf, typeTitle } from './event-words.js';
import { Pager, useCursors } from './pager.js';
import { Resource } from './resource.js';
import { Empty, ErrorState, Loading } from './states.js';
import { Age } from './time.js';

const text = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));

function Details({ event }: { readonly event: StaveEvent }) {
  const [type, id] = subjectOf(event.subject);
  const { data } = useEventDifference(type, id, event.time);
  const then = useAddressAt(event.time);
  return (
    <div className="event-details">
      {data && data.changes.length > 0 ? (
        <ul className="plain difference">
          {data.changes.map(({ pointer, from, to }) => (
            <li key={pointer}>
              <code>{pointer.slice(1).replaceAll('/', '.')}</code> <del>{text(from)}</del> → <ins>{text(to)}</ins>
            </li>
          ))}
        </ul>
      ) : null}
      <dl className="pairs">
        <dt>When</dt>
        <dd>
          <time dateTime={event.time}>{new Date(event.time).toLocaleString()}</time>, position {event.position}.{' '}
          <Link href={then}>Show this moment</Link>
        </dd>
        <dt>Event</dt>
        <dd>
          <code>{event.type}</code>
        </dd>
        <dt>Request</dt>
        <dd>
          <code>{event.correlationid}</code>
        </dd>
      </dl>
      <pre tabIndex={0}>{JSON.stringify(event.data, null, 2)}</pre>
    </div>
  );
}

function EventLine({ event }: { readonly event: StaveEvent }) {
  const [isOpen, setOpen] = useState(false);
  const [type, id] = subjectOf(event.subject);
  const title = eventTitle(event.type);
  const then = useAddressAt(event.time);
  return (
    <li className="event-line">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        aria-label={`${title}, ${typeTitle(type)}: details`}
      >
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> <span className="strong">{title}</span>
      </button>
      <span className="event-about">
        <span className="dim">{typeTitle(type)}</span> <Resource type={resourceTypeOf(type)} id={id} />
      </span>
      <span className="event-actor dim">
        <EventActor event={event} />
      </span>
      <span className="event-time dim">
        <Link href={then}>
          <VisuallyHidden>Show the moment of </VisuallyHidden>
          <Age time={event.time} />
        </Link>
      </span>
      {isOpen ? <Details event={event} /> : null}
    </li>
  );
}

/** What happened, the newest first: to what, by whom, in which operation, with what it changed. A page of it at a time. */
export function EventList({ choice, label }: { readonly choice: EventChoice; readonly label: string }) {
  const cursors = useCursors();
  const { cursor } = cursors;
  const { data, error, refetch, dataUpdatedAt } = useEvents(choice, cursor);
  const isNew = useNewEvents(choice, dataUpdatedAt) && cursor === undefined;
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  return (
    <>
      {isNew ? (
        <p className="added-line">
          <button type="button" className="added" onClick={() => void refetch()}>
            New events: show
          </button>
        </p>
      ) : null}
      {data.items.length === 0 ? <Empty title="No event like this here" /> : null}
      <ol className="events panel" aria-label={label}>
        {data.items.map(event => (
          <EventLine key={event.id} event={event} />
        ))}
      </ol>
      <Pager {...{ cursors, next: data.nextCursor }}>
        <span className="dim">{data.items.length} events on this page</span>
      </Pager>
    </>
  );
}
