import { useState } from 'react';
import { Link } from 'wouter';
import { useClusterEvents } from '../api/queries.js';
import type { Cluster, StaveEvent } from '../api/types.js';
import { ErrorState, Loading } from '../parts/states.js';
import { Age } from '../parts/time.js';

const LIMIT = 500;

/** `stave.cluster.becameActive.v1` as `became active`. */
function titleOf(type: string): string {
  const word = type.split('.')[2] ?? type;
  return word.replaceAll(/([A-Z])/g, ' $1').toLowerCase();
}

interface HistoryProps {
  readonly cluster: Cluster;
  readonly at: string | undefined;
  readonly setAt: (at: string | undefined) => void;
}

/** Moves the page back in time: to now at its right end. */
function TimeSlider({ cluster, at, setAt }: HistoryProps) {
  const from = Date.parse(cluster.createdAt);
  const [now] = useState(Date.now);
  const [value, setValue] = useState(at === undefined ? now : Date.parse(at));
  const settle = (): void => setAt(value >= now ? undefined : new Date(Math.max(value, from + 1_000)).toISOString());
  return (
    <div className="time-slider">
      <label htmlFor="time">Show the cluster as it was</label>
      <input
        id="time"
        type="range"
        min={from}
        max={now}
        step={Math.max(1, Math.round((now - from) / 500))}
        value={value}
        aria-valuetext={value >= now ? 'now' : new Date(value).toLocaleString()}
        onChange={event => setValue(Number(event.currentTarget.value))}
        onPointerUp={settle}
        onKeyUp={settle}
      />
      <output htmlFor="time">{value >= now ? 'now' : new Date(value).toLocaleString()}</output>
    </div>
  );
}

function EventLine({ event }: { readonly event: StaveEvent }) {
  const { type, time, actorname, actor, operationid, data } = event;
  return (
    <li>
      <details>
        <summary>
          <span className="strong">{titleOf(type)}</span>
          <span className="dim">by {actorname ?? actor ?? 'Stave'}</span>
          <span className="space" />
          <span className="dim">
            <Age time={time} />
          </span>
        </summary>
        {operationid ? <Link href={`/operations/${operationid}`}>its operation</Link> : null}
        <pre tabIndex={0}>{JSON.stringify(data, null, 2)}</pre>
      </details>
    </li>
  );
}

/** What happened to a cluster: by whom, by which operation, with all of its data. */
export function ClusterHistory(props: HistoryProps) {
  const { data, error, refetch } = useClusterEvents(props.cluster.id);
  return (
    <>
      <TimeSlider {...props} />
      {error ? <ErrorState error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <Loading /> : null}
      <ol className="events panel" aria-label="Events, newest first">
        {data?.map(event => (
          <EventLine key={event.id} event={event} />
        ))}
      </ol>
      {data && data.length >= LIMIT ? <p className="dim note">The first {LIMIT} events are shown.</p> : null}
    </>
  );
}
