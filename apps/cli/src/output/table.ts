/** The width of a text on a terminal, in cells. Wide characters of East Asia count as two. */
export const widthOf = (text: string): number =>
  [...text].reduce(
    (width, character) =>
      width +
      (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/.test(character) ? 2 : 1),
    0,
  );

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  for (const character of text) {
    if (widthOf(kept + character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** A column that is cut keeps so many cells. */
const NARROWEST = 5;

/**
 * Lays out rows below each other with two spaces between columns. Where `columns` is given and the table is wider, the widest columns are cut
 * to fit, never the first and none below five cells; what is cut ends with `…`. `paint` gets each cell with its padding.
 */
export function tableLines(
  rows: readonly (readonly string[])[],
  columns?: number,
  paint: (cell: string) => string = cell => cell,
): string[] {
  const [first = []] = rows;
  const widths = first.map((_, column) => Math.max(...rows.map(row => widthOf(row[column] ?? ''))));
  const total = (): number => widths.reduce((sum, width) => sum + width + 2, -2);
  while (columns !== undefined && total() > columns) {
    const widest = widths.reduce(
      (best, width, index) => (index > 0 && width > (widths[best] ?? 0) ? index : best),
      Math.min(1, widths.length - 1),
    );
    if (widths[widest]! <= NARROWEST) break;
    widths[widest] = Math.max(NARROWEST, widths[widest]! - (total() - columns));
  }
  return rows.map(row =>
    row
      .map((text, column) => paint(pad(cut(text, widths[column]!), column === row.length - 1 ? 0 : widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
}
