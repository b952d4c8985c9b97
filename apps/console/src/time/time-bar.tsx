import { useEffect, useState } from 'react';
import { useMoment } from './moment.js';

const spans = [
  ['15 minutes', 900_000],
  ['1 hour', 3_600_000],
  ['1 day', 86_400_000],
  ['1 week', 604_800_000],
  ['30 days', 2_592_000_000],
] as const;
const STEPS = 600;
/** As close to its end the slider shows the present. */
const NOW_MS = 1_000;

/** The span that a moment is in, the shortest of them. */
const spanOf = (at: string | undefined): number => {
  const age = at === undefined ? 0 : Date.now() - Date.parse(at);
  return spans.find(([, span]) => span >= age)?.[1] ?? Math.ceil(age * 1.1);
};

/** For a field of date and time, which knows no zones. */
const localText = (time: number): string =>
  new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);

function Slider({
  span,
  at,
  setAt,
}: {
  readonly span: number;
  readonly at: string | undefined;
  readonly setAt: (at?: string) => void;
}) {
  const [now] = useState(Date.now);
  const [value, setValue] = useState(at === undefined ? now : Date.parse(at));
  useEffect(() => setValue(at === undefined ? now : Date.parse(at)), [at, now]);
  const isNow = value >= now - NOW_MS;
  const settle = (): void => setAt(isNow ? undefined : new Date(value).toISOString());
  return (
    <>
      <input
        type="range"
        aria-label="The moment that all pages show"
        min={now - span}
        max={now}
        step={Math.max(1, Math.round(span / STEPS))}
        value={value}
        aria-valuetext={isNow ? 'now' : new Date(value).toLocaleString()}
        onChange={event => setValue(Number(event.currentTarget.value))}
        onPointerUp={settle}
        onKeyUp={settle}
      />
      <input
        type="datetime-local"
        step="1"
        aria-label="Date and time"
        value={localText(value)}
        max={localText(now)}
        onChange={event => {
          const time = Date.parse(event.currentTarget.value);
          if (Number.isFinite(time)) setAt(time >= now - NOW_MS ? undefined : new Date(time).toISOString());
        }}
      />
    </>
  );
}

/** Sets the moment that all pages show, and says so while it is not the present. */
export function TimeBar({ close }: { readonly close: () => void }) {
  const [at, setAt] = useMoment();
  const [span, setSpan] = useState(() => spanOf(at));
  const leave = (): void => {
    setAt(undefined);
    close();
  };
  return (
    <section className={at === undefined ? 'time-bar' : 'time-bar past'} aria-label="Time">
      <p role="status">
        {at === undefined ? (
          'Everything is shown as it is now. Move back:'
        ) : (
          <>
            As it was at <b>{new Date(at).toLocaleString()}</b>
          </>
        )}
      </p>
      <Slider key={span} {...{ span, at }} setAt={setAt} />
      <select
        aria-label="How far back the slider goes"
        value={span}
        onChange={event => setSpan(Number(event.currentTarget.value))}
      >
        {spans.some(([, one]) => one === span) ? null : <option value={span}>to that moment</option>}
        {spans.map(([title, one]) => (
          <option key={one} value={one}>
            {title}
          </option>
        ))}
      </select>
      <button type="button" onClick={leave}>
        {at === undefined ? 'Close' : 'Back to now'}
      </button>
    </section>
  );
}

/** Stands where something is shown as it is now although the page is in the past. */
export function OnlyNow({ children }: { readonly children: string }) {
  const [at] = useMoment();
  return at === undefined ? null : <p className="dim note only-now">{children}</p>;
}
