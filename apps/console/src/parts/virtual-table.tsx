import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode, type RefObject } from 'react';
import { useLocation } from 'wouter';
import { usesKeys } from '../shell/keys.js';

export interface Column<T> {
  readonly key: string;
  readonly title: string;
  /** A width of CSS grid. */
  readonly width: string;
  /** The field by which the server sorts. */
  readonly sort?: string;
  /** Not shown on narrow screens. */
  readonly isMinor?: boolean;
  readonly cell: (item: T) => ReactNode;
}

export interface TableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly items: readonly T[];
  readonly total: number | undefined;
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  /** Where a row leads. */
  readonly href?: (item: T) => string;
  readonly more?: () => void;
  readonly rowHeight?: number;
  readonly isOlder?: boolean;
}

const OVERSCAN = 6;
/** The height of the head, which stays above the rows that scroll. */
const HEAD = 36;

/** The same fields from the greatest to the least. */
const reversed = (sort: string): string =>
  sort
    .split(',')
    .map(field => `-${field}`)
    .join();

function HeaderCell<T>({
  column,
  sort,
  onSort,
}: { readonly column: Column<T> } & Pick<TableProps<T>, 'sort' | 'onSort'>) {
  const { key, title, sort: field, isMinor } = column;
  const isUp = sort === field;
  const isDown = field !== undefined && sort === reversed(field);
  const order = isUp ? 'ascending' : isDown ? 'descending' : 'none';
  return (
    <div
      role="columnheader"
      className={isMinor ? 'minor' : undefined}
      {...(field ? { 'aria-sort': order } : {})}
      key={key}
    >
      {field && onSort ? (
        <button type="button" onClick={() => onSort(isUp ? reversed(field) : field)}>
          {title}
          <span aria-hidden="true">{isUp ? ' ↑' : isDown ? ' ↓' : ''}</span>
        </button>
      ) : (
        title
      )}
    </div>
  );
}

interface RowProps<T> extends Pick<TableProps<T>, 'columns' | 'href'> {
  readonly item: T;
  readonly index: number;
  readonly start: number;
  readonly template: { readonly gridTemplateColumns: string };
  readonly rowHeight: number;
}

function Row<T>({ item, index, start, columns, template, rowHeight, href }: RowProps<T>) {
  const [, navigate] = useLocation();
  const open = (): void => {
    if (href) navigate(href(item));
  };
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-row={index}
      tabIndex={href ? -1 : 0}
      className={`row ${href ? 'row-link' : ''}`}
      style={{ ...template, height: rowHeight, transform: `translateY(${start}px)` }}
      onClick={event => {
        // a link in the row leads there, or elsewhere, by itself
        if (!(event.target as HTMLElement).closest('a, button')) open();
      }}
      onKeyDown={event => {
        if (event.key === 'Enter' && event.target === event.currentTarget) open();
      }}
    >
      {columns.map(({ key, cell, isMinor }) => (
        <div role="cell" key={key} className={isMinor ? 'minor' : undefined}>
          {cell(item)}
        </div>
      ))}
    </div>
  );
}

/** Letters move between rows wherever the focus is on the page, arrows in the table only: elsewhere they scroll, or choose. */
const steps: Readonly<Record<string, number>> = { j: 1, k: -1 };
const stepsInside: Readonly<Record<string, number>> = { ...steps, ArrowDown: 1, ArrowUp: -1 };

/** By how many rows a key moves in this table; undefined where the key is not for it. */
function stepOf({ key, target }: globalThis.KeyboardEvent, table: HTMLElement | null): number | undefined {
  if (table?.contains(target as Node)) return stepsInside[key];
  if (document.querySelector('[role=dialog]') || document.querySelector('.table') !== table) return undefined;
  return steps[key];
}

/** Keys move the focus from row to row by `move`. Returns the reference of the table. */
function useRowKeys(move: (to: number) => void): RefObject<HTMLDivElement | null> {
  const table = useRef<HTMLDivElement>(null);
  const onKey = (event: globalThis.KeyboardEvent): void => {
    const step = stepOf(event, table.current);
    if (step === undefined || !usesKeys(event)) return;
    const row = (event.target as HTMLElement).closest('[data-row]');
    move(Number(row?.getAttribute('data-row') ?? -1) + step);
    event.preventDefault();
  };
  const take = useRef(onKey);
  take.current = onKey;
  useEffect(() => {
    const listener = (event: globalThis.KeyboardEvent): void => take.current(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
  return table;
}

/** A table that holds only the rows on the screen, of any number. `j` and `k` move between rows, Enter opens one. */
export function VirtualTable<T extends { readonly id: string }>(props: TableProps<T>) {
  const { label, columns, items, total, sort, onSort, href, more, rowHeight = 44, isOlder } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: HEAD,
    scrollPaddingStart: HEAD,
    getItemKey: index => items[index]?.id ?? index,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (items.length > 0 && last >= items.length - 20) more?.();
  }, [last, items.length]);

  const move = (to: number): void => {
    const index = Math.min(items.length - 1, Math.max(0, to));
    rows.scrollToIndex(index);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus());
  };
  const table = useRowKeys(move);
  const template = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') };
  return (
    <div className={`table ${isOlder ? 'older' : ''}`} ref={table}>
      <div
        role="table"
        aria-label={label}
        aria-rowcount={(total ?? items.length) + 1}
        className="table-scroller"
        ref={scroller}
      >
        <div role="rowgroup" className="table-head">
          <div role="row" aria-rowindex={1} className="row" style={{ ...template, height: HEAD }}>
            {columns.map(column => (
              <HeaderCell key={column.key} column={column} {...{ sort, onSort }} />
            ))}
          </div>
        </div>
        <div role="rowgroup" className="table-body" style={{ height: rows.getTotalSize() }}>
          {shown.map(({ index, key, start }) => {
            const item = items[index];
            const place = { index, start: start - HEAD };
            return item ? <Row key={key} {...{ item, columns, template, rowHeight, href }} {...place} /> : null;
          })}
        </div>
      </div>
    </div>
  );
}
