/** A line of a chart: its points in order, x in seconds. */
export interface ChartLine {
  readonly label: string;
  readonly color: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** The value holds until the next point. */
  readonly steps?: boolean;
  readonly dashed?: boolean;
}

export interface Chart {
  readonly title: string;
  readonly description: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly lines: readonly ChartLine[];
}

const WIDTH = 900;
const HEIGHT = 360;
const LEFT = 60;
const RIGHT = 20;
const TOP = 50;
const BOTTOM = 50;
const LEGEND_WIDTH = 210;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const rounded = (value: number): number => Math.round(value * 10) / 10;

/** Returns a step between grid lines that people can read: 1, 2 or 5 times a power of ten. */
function niceStep(range: number, lines: number): number {
  const power = 10 ** Math.floor(Math.log10(range / lines));
  return [1, 2, 5, 10].map(factor => factor * power).find(step => range / step <= lines) ?? power * 10;
}

/** Draws lines over time as an SVG image, readable on light and dark pages. */
export function svgChart({ title, description, xLabel, yLabel, lines }: Chart): string {
  const points = lines.flatMap(line => line.points);
  const right = Math.max(...points.map(([x]) => x));
  const top = Math.max(...points.map(([, y]) => y)) * 1.1;
  const x = (value: number): number => rounded(LEFT + (value / right) * (WIDTH - LEFT - RIGHT));
  const y = (value: number): number => rounded(HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM));
  const text = (at: string, content: string): string => `<text ${at}>${escaped(content)}</text>`;
  const grid: string[] = [];
  const yStep = niceStep(top, 6);
  for (let value = 0; value <= top; value += yStep)
    grid.push(
      `<path class="grid" d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}"/>`,
      text(`x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end"`, String(rounded(value))),
    );
  for (let value = 0; value <= right; value += 60)
    grid.push(text(`x="${x(value)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle"`, String(value / 60)));
  const drawn = lines.map(({ color, points: all, steps, dashed }) => {
    const d = all.map(([px, py], i) =>
      i === 0 ? `M${x(px)} ${y(py)}` : steps ? `H${x(px)}V${y(py)}` : `L${x(px)} ${y(py)}`,
    );
    return `<path fill="none" stroke="${color}" stroke-width="2"${dashed ? ' stroke-dasharray="4 4"' : ''} d="${d.join('')}"/>`;
  });
  const legend = lines.map(({ label, color }, i) => {
    const from = LEFT + i * LEGEND_WIDTH;
    return `<path stroke="${color}" stroke-width="3" d="M${from} 32h22"/>${text(`x="${from + 28}" y="36"`, label)}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">`,
    `<title>${escaped(title)}</title><desc>${escaped(description)}</desc>`,
    '<style>text{font:12px sans-serif;fill:#57606a}.grid{stroke:#8c959f;stroke-opacity:.3}</style>',
    '<rect width="100%" height="100%" fill="#fff"/>',
    text(`x="${LEFT}" y="18" font-weight="bold"`, title),
    ...grid,
    text(`x="${WIDTH / 2}" y="${HEIGHT - 10}" text-anchor="middle"`, xLabel),
    text(`x="14" y="${HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 ${HEIGHT / 2})"`, yLabel),
    ...legend,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}
