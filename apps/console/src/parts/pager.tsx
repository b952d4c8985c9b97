import { useState, type ReactNode } from 'react';

interface Cursors {
  /** The cursor of the page that is shown; undefined: the first. */
  readonly cursor: string | undefined;
  /** Leads to the newer page; undefined on the first. */
  readonly newer: (() => void) | undefined;
  readonly older: (next: string) => void;
}

/** Remembers the way through the pages of a list that begins with the newest. */
export function useCursors(): Cursors {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  return {
    cursor: cursors.at(-1),
    newer: cursors.length === 0 ? undefined : () => setCursors(cursors.slice(0, -1)),
    older: next => setCursors([...cursors, next]),
  };
}

interface PagerProps {
  readonly cursors: Cursors;
  readonly next: string | null;
  readonly children?: ReactNode;
}

/** The buttons between the pages of a list, and what is said of the page. */
export const Pager = ({ cursors: { newer, older }, next, children }: PagerProps) => (
  <div className="pager">
    <button type="button" className="quiet" disabled={!newer} onClick={newer}>
      Newer
    </button>
    <button
      type="button"
      className="quiet"
      disabled={next === null}
      onClick={() => (next === null ? undefined : older(next))}
    >
      Older
    </button>
    {children}
  </div>
);
