import { useWidth } from '../parts/use-width.js';

/** A line of a chart. It keeps its value until the next point. */
export interface Line {
  readonly title: string;
  /** A class that sets its colour and its dashes. */
  readonly style: 'first' | 'second' | 'third';
  readonly points: readonly { readonly at: number; readonly value: number | null }[];
}

interface StepChartProps {
  readonly label: string;
  readonly lines: readonly Line[];
  readonly from: number;
  readonly to: number;
  /** Levels that are never left, such as a maximum. */
  readonly limits?: readonly { readonly title: string; readonly value: number }[];
}

const HEIGHT = 210;
const [LEFT, RIGHT, TOP, BOTTOM] = [34, 10, 12, 24];
/** The room that a time needs, in pixels. */
const TICK = 150;

const timeText = (time: number, span: number): string =>
  new Date(time).toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
    ...(span < 600_000 ? { second: '2-digit' } : {}),
  });

/** The steps of a line as a path, with a gap where nothing is known. */
function pathOf(points: Line['points'], x: (at: number) => number, y: (value: number) => number, to: number): string {
  let path = '';
  let isOpen = false;
  for (const [index, { at, value }] of points.entries()) {
    if (value === null) {
      isOpen = false;
      continue;
    }
    const end = points[index + 1]?.at ?? to;
    path += `${isOpen ? `V${y(value)}` : `M${x(at)} ${y(value)}`}H${x(end)}`;
    isOpen = true;
  }
  return path;
}

function Axes({
  max,
  from,
  to,
  x,
  y,
  width,
}: {
  readonly max: number;
  readonly from: number;
  readonly to: number;
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
  readonly width: number;
}) {
  const step = Math.max(1, Math.ceil(max / 4));
  const levels = Array.from({ length: Math.floor(max / step) + 1 }, (_, n) => n * step);
  const ticks = Math.max(2, Math.min(6, Math.floor(width / TICK)));
  const times = Array.from({ length: ticks }, (_, n) => from + ((to - from) * n) / (ticks - 1));
  return (
    <g className="axes">
      {levels.map(level => (
        <g key={level}>
          <line x1={LEFT} x2={width - RIGHT} y1={y(level)} y2={y(level)} />
          <text x={LEFT - 7} y={y(level) + 4} textAnchor="end">
            {level}
          </text>
        </g>
      ))}
      {times.map((time, n) => (
        <text key={time} x={x(time)} y={HEIGHT - 6} textAnchor={n === 0 ? 'start' : n === ticks - 1 ? 'end' : 'middle'}>
          {timeText(time, to - from)}
        </text>
      ))}
    </g>
  );
}

/** Numbers over time. What it shows is in its label and in the table or list beside it. */
export function StepChart({ label, lines, from, to, limits = [] }: StepChartProps) {
  const [box, measured] = useWidth<HTMLElement>();
  const width = Math.max(240, measured);
  const values = lines.flatMap(({ points }) => points.flatMap(({ value }) => value ?? []));
  const shown = limits.filter(({ value }) => value <= Math.max(...values, 1) * 2.5);
  const max = Math.max(...values, ...shown.map(({ value }) => value), 1) * 1.08;
  const x = (at: number): number =>
    Math.round(
      (LEFT + ((Math.min(to, Math.max(from, at)) - from) / Math.max(1, to - from)) * (width - LEFT - RIGHT)) * 10,
    ) / 10;
  const y = (value: number): number => Math.round((TOP + (1 - value / max) * (HEIGHT - TOP - BOTTOM)) * 10) / 10;
  return (
    <figure className="chart" ref={box}>
      <svg width={width} height={HEIGHT} role="img" aria-label={label}>
        <Axes {...{ max, from, to, x, y, width }} />
        {shown.map(({ title, value }) => (
          <g key={title} className="limit">
            <line x1={LEFT} x2={width - RIGHT} y1={y(value)} y2={y(value)} />
            <text x={width - RIGHT} y={y(value) - 4} textAnchor="end">
              {title} {value}
            </text>
          </g>
        ))}
        {lines.map(({ title, style, points }) => (
          <path key={title} className={`line line-${style}`} d={pathOf(points, x, y, to)} />
        ))}
      </svg>
      <figcaption>
        {lines.map(({ title, style }) => (
          <span key={title} className="legend">
            <svg viewBox="0 0 22 8" aria-hidden="true">
              <path className={`line line-${style}`} d="M1 4H21" />
            </svg>
            {title}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
