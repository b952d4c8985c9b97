import { useEffect, type ReactNode } from 'react';
import { Pager, useCursors } from './pager.js';

interface PagedListProps<T> {
  readonly label: string;
  /** The newest first. More may come at both ends. */
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly line: (item: T) => ReactNode;
  /** Reads older items; undefined: these are all. */
  readonly more?: (() => void) | undefined;
}

const SHOWN = 12;

/** Pages of a list that the browser has, and reads on. What is added at its beginning does not move the older pages. */
export function PagedList<T>({ label, items, keyOf, line, more }: PagedListProps<T>) {
  const cursors = useCursors();
  const start = Math.max(
    0,
    items.findIndex(item => keyOf(item) === cursors.cursor),
  );
  const end = start + SHOWN;
  const next = items[end];
  const needsMore = next === undefined && more !== undefined;
  useEffect(() => {
    if (needsMore) more();
  }, [needsMore, items.length]);
  return (
    <>
      <ol className="plain evaluations" aria-label={label}>
        {items.slice(start, end).map(item => (
          <li key={keyOf(item)} className="line">
            {line(item)}
          </li>
        ))}
      </ol>
      {cursors.newer || next ? <Pager cursors={cursors} next={next === undefined ? null : keyOf(next)} /> : null}
    </>
  );
}
