import { takeoverOfTask, takeoverOfWork, type TakeoverRow } from '@stave/domain/testing';

/** Generates the rows of the two tables of docs/operate/takeover.md from the code. */
export function takeoverTables(): readonly (readonly string[])[] {
  const byWork = Object.entries(takeoverOfWork).map(([point, row]) => [`\`${point}\``, ...cells(row)]);
  const byTask = Object.entries(takeoverOfTask).flatMap(([kind, points]) =>
    Object.entries(points).map(([point, row]) => [`\`${kind}\``, `\`${point}\``, ...cells(row)]),
  );
  return [...byWork, ...byTask];
}

/** Returns the table rows of a Markdown page whose first cell is code. */
export function tableLines(markdown: string): readonly (readonly string[])[] {
  return markdown
    .split('\n')
    .filter(line => line.startsWith('| `'))
    .map(line => line.split('|').map(cell => cell.trim()))
    .map(cells => cells.slice(1, -1));
}

function cells({ action, description }: TakeoverRow): readonly string[] {
  return [action, description];
}
