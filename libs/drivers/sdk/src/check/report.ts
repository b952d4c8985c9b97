import { stripVTControlCharacters } from 'node:util';
import { advice } from '../conformance/advice.js';
import type { CheckResult } from './run-kit.js';

const MOST_LINES = 12;

/** For the author of a driver: how far it keeps the contract, and what to do about what it does not keep. */
export function conformanceReport(driver: string, results: readonly CheckResult[]): string {
  const parts = [...new Set(results.map(({ part }) => part))];
  const lines = parts.flatMap(part =>
    partLines(
      part,
      results.filter(result => result.part === part),
    ),
  );
  const failed = results.filter(({ passed }) => !passed).length;
  const verdict =
    failed === 0
      ? `${driver} keeps the contract: ${results.length} of ${results.length} checks`
      : `${driver} does not keep the contract yet: ${failed} of ${results.length} checks failed; begin with the first`;
  return [...lines, '', verdict, ''].join('\n');
}

function partLines(part: string, results: readonly CheckResult[]): string[] {
  const failed = results.filter(({ passed }) => !passed);
  const score = `  ${part.padEnd(20)} ${results.length - failed.length} of ${results.length}`;
  return [score, ...failed.flatMap(failureLines)];
}

function failureLines({ title, failure = '' }: CheckResult): string[] {
  const why = advice[title];
  const said = stripVTControlCharacters(failure).split('\n');
  const shown = said.filter(line => line.trim() !== '' && !/^\s+at /.test(line)).slice(0, MOST_LINES);
  return [`    ✗ ${title}`, ...(why === undefined ? [] : [`      ${why}`]), ...shown.map(line => `        ${line}`)];
}
