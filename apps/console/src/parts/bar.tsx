import { byConcern, toneOf } from './status.js';

/** How many have each status, as widths. The numbers are in words beside it. */
export function Bar({ numbers }: { readonly numbers: Readonly<Record<string, number>> }) {
  const entries = Object.entries(numbers).sort(([a], [b]) => byConcern(b, a));
  const sum = entries.reduce((total, [, number]) => total + number, 0);
  return (
    <div className="bar" aria-hidden="true">
      {entries.map(([status, number]) => (
        <span
          key={status}
          className={`fill fill-${toneOf(status)}`}
          style={{ flexGrow: sum === 0 ? 0 : number / sum }}
        />
      ))}
    </div>
  );
}
