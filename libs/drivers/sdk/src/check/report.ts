import { stripVTControlCharacters } from 'node:util';
import { advice } from './advice.js';
import type { CheckResult } from './run-kit.js';

const MOST_LINES = 12;

/** Writes the report for the author of a driver: passed checks by part of the contract, and how to repair each failed one. */
export function conformanceReport(driver: string, results: readonly CheckResult[]): string {
  const parts = [...new Set(results.map(({ part }) => part))];
  const lines = parts.flatMap(part =>
    partLines(
      part,
      results.filter(result => result.part === part),
    ),
  );
  const failed = results.filter(({ passed }) => !passed).length;
  const summary =
    failed === 0
      ? `${driver} conforms to the contract: ${results.length} of ${results.length} checks passed`
      : `${driver} does not conform to the contract: ${failed} of ${results.length} checks failed; repair the first one first`;
  return [...lines, '', summary, ''].join('\n');
}

function partLines(part: string, results: readonly CheckResult[]): string[] {
  const failed = results.filter(({ passed }) => !passed);
  const score = `  ${part.padEnd(20)} ${results.length - failed.length} of ${results.length}`;
  return [score, ...failed.flatMap(failureLines)];
}

function failureLines({ title, failure = '' }: CheckResult): string[] {
  const hint = advice[title];
  const text = stripVTControlCharacters(failure).split('\n');
  const shown = text.filter(line => line.trim() !== '' && !/^\s+at /.test(line)).slice(0, MOST_LINES);
  return [`    ✗ ${title}`, ...(hint === undefined ? [] : [`      ${hint}`]), ...shown.map(line => `        ${line}`)];
}
