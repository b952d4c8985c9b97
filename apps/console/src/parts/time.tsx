import { useEffect, useState } from 'react';

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

export function ageOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [unit, size] = units.find(([, one]) => seconds >= one) ?? ['s', 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/** The present time, which moves on every second for all that show an age. */
const clock = {
  watchers: new Set<() => void>(),
  timer: undefined as ReturnType<typeof setInterval> | undefined,
};

export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const watcher = (): void => setNow(Date.now());
    clock.watchers.add(watcher);
    clock.timer ??= setInterval(() => clock.watchers.forEach(one => one()), 1_000);
    return () => {
      clock.watchers.delete(watcher);
      if (clock.watchers.size > 0) return;
      clearInterval(clock.timer);
      clock.timer = undefined;
    };
  }, []);
  return now;
}

/** How long ago something was, or until it is. */
export function Age({ time }: { readonly time: string | undefined }) {
  const now = useNow();
  if (time === undefined) return null;
  const ms = Date.parse(time) - now;
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()}>
      {ms > 500 ? `in ${ageOf(ms)}` : `${ageOf(-ms)} ago`}
    </time>
  );
}
