import type { ReactNode } from 'react';

type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'idle';

const tones: Readonly<Record<string, Tone>> = {
  ACTIVE: 'good',
  SUCCEEDED: 'good',
  DONE: 'good',
  LIVE: 'good',
  HEALTHY: 'good',
  CREATING: 'busy',
  UPDATING: 'busy',
  DELETING: 'busy',
  RUNNING: 'busy',
  REBUILDING: 'busy',
  REBOOTING: 'busy',
  SCALING: 'busy',
  PENDING: 'idle',
  RETRYING: 'warn',
  DEGRADED: 'warn',
  WAITING: 'warn',
  DRAINING: 'warn',
  CORDONED: 'warn',
  UNREACHABLE: 'bad',
  UNSCHEDULABLE: 'bad',
  UNHEALTHY: 'bad',
  FAILED: 'bad',
  ERROR: 'bad',
  LOST: 'bad',
};
const shapes: Readonly<Record<Tone, ReactNode>> = {
  good: <path d="M2.5 6.5 5 9l4.5-5.5" fill="none" />,
  busy: <path d="M6 2a4 4 0 1 1-4 4" fill="none" />,
  warn: <path d="M6 1.5 11 10.5H1zM6 5v2.4M6 8.9v.1" fill="none" />,
  bad: <path d="m2.8 2.8 6.4 6.4m0-6.4L2.8 9.2" fill="none" />,
  idle: <circle cx="6" cy="6" r="3.6" fill="none" />,
};

export const toneOf = (status: string): Tone => tones[status] ?? 'idle';

/** The worst first. */
const ranks: readonly Tone[] = ['bad', 'warn', 'busy', 'idle', 'good'];
export const byConcern = (a: string, b: string): number => ranks.indexOf(toneOf(a)) - ranks.indexOf(toneOf(b));

/** A status as an icon and a word: colour alone says nothing. */
export function Status({ status, count }: { readonly status: string; readonly count?: number }) {
  const tone = toneOf(status);
  return (
    <span className={`status status-${tone}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true" className={tone === 'busy' ? 'turning' : undefined}>
        {shapes[tone]}
      </svg>
      {count === undefined ? null : <b>{count.toLocaleString('en')}</b>}
      {status.toLowerCase()}
    </span>
  );
}
