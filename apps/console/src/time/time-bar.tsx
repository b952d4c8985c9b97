import { useEffect, useState } from 'react';
import { momentIn, useMoment, useWrongMoment } from './moment.js';

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
        data-moment
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

/** Whose beginning is enough to recognise it. */
const SHOWN = 60;

function WrongMoment({ text }: { readonly text: string }) {
  const now = new Date().toISOString();
  const future = momentIn(text);
  if (future !== undefined)
    return (
      <p role="alert">
        The address asks for <b>{new Date(future).toLocaleString()}</b>, which has not come yet. Everything is shown as
        it is now.
      </p>
    );
  return (
    <p role="alert">
      The address asks for <b>{text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}</b>, which is no moment.
      Everything is shown as it is now. A moment is a date, such as <code>{now.slice(0, 10)}</code>, or a time with its
      zone, such as <code>{`${now.slice(0, 19)}Z`}</code>.
    </p>
  );
}

function ShownMoment({ at }: { readonly at: string | undefined }) {
  return (
    <p role="status">
      {at === undefined ? (
        'Everything is shown as it is now. Move back:'
      ) : (
        <>
          As it was at <b>{new Date(at).toLocaleString()}</b>
        </>
      )}
    </p>
  );
}

/** Returns what gives the focus back to what had it before. */
function useFocusBack(): () => void {
  const [before] = useState(() => document.activeElement);
  return () => {
    const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
    (isThere ? before : document.querySelector<HTMLElement>('h1'))?.focus({ preventScroll: true });
  };
}

/** Sets the moment that all pages show, and says so while it is not the present. Escape closes it, and leaves the moment as it is. */
export function TimeBar({ close }: { readonly close: () => void }) {
  const [at, setAt] = useMoment();
  const wrong = useWrongMoment();
  const [span, setSpan] = useState(() => spanOf(at));
  const focusBack = useFocusBack();
  const leave = (): void => {
    setAt(undefined);
    close();
    focusBack();
  };
  const look = wrong === undefined ? (at === undefined ? '' : ' past') : ' wrong';
  return (
    <section
      className={`time-bar${look}`}
      aria-label="Time"
      onKeyDown={({ key }) => {
        if (key !== 'Escape') return;
        close();
        focusBack();
      }}
    >
      {wrong === undefined ? <ShownMoment at={at} /> : <WrongMoment text={wrong} />}
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
        {at === undefined && wrong === undefined ? 'Close' : 'Back to now'}
      </button>
    </section>
  );
}

/** Stands where something is shown as it is now although the page is in the past. */
export function OnlyNow({ children }: { readonly children: string }) {
  const [at] = useMoment();
  return at === undefined ? null : <p className="dim note only-now">{children}</p>;
}
