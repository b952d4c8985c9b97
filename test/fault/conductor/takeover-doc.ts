import { takeoverOfTask, takeoverOfWork, type TakeoverRow } from '@stave/domain';

/** The two tables of docs/operate/takeover.md, each line with its cells, as they follow from the code. */
export function takeoverTables(): readonly (readonly string[])[] {
  const byWork = Object.entries(takeoverOfWork).map(([point, row]) => [`\`${point}\``, ...cells(row)]);
  const byTask = Object.entries(takeoverOfTask).flatMap(([kind, points]) =>
    Object.entries(points).map(([point, row]) => [`\`${kind}\``, `\`${point}\``, ...cells(row)]),
  );
  return [...byWork, ...byTask];
}

/** The lines of the tables in a page of Markdown that begin with a name of ours. */
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
