import { join } from 'node:path';
import { verifyLog, type FileReport } from './verify-log.js';

/**
 * Checks the embedded event log in `directory`, and hands over a line of text for each file. Returns whether everything that was acknowledged
 * can be read. Throws when there is no log.
 */
export function verifyEventLog(directory: string, print: (line: string) => void): boolean {
  let whole = true;
  for (const report of verifyLog(join(directory, 'events.log'))) {
    print(lineOf(report));
    whole &&= report.problem === undefined && report.damaged.length === 0 && report.lost.length === 0;
  }
  return whole;
}

function lineOf({ file, bytes, events, problem, damaged, lost, incompleteBytes }: FileReport): string {
  const said = [
    ...(problem === undefined ? [] : [problem]),
    ...damaged.map(part => `damaged at byte ${part.at}, ${part.bytes} bytes`),
    ...lost.map(([first, last]) => `the events at positions ${first} to ${last} cannot be read`),
  ];
  const incomplete =
    incompleteBytes > 0
      ? `; ${incompleteBytes} bytes at the end are an incomplete write, which was not acknowledged`
      : '';
  return `${file}: ${bytes} bytes, ${events} events, ${said.length > 0 ? said.join('; ') : 'whole'}${incomplete}`;
}
