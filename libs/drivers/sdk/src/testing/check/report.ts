import { stripVTControlCharacters } from 'node:util';
import { advice } from './advice.js';
import type { CheckResult } from './run-kit.js';

const MOST_LINES = 12;

/** Writes the report for the author of a driver: passed checks by part of the contract, and how to repair each failed one. */
export function conformanceReport(driver: string, results: readonly CheckResult[]): string {
  const parts = [...new Set(results.map(({ part }) => part))];
  const lines = parts.flatMap(part => {
    const own = results.filter(result => result.part === part);
    const failures = own.filter(({ passed }) => !passed);
    const score = `  ${part.padEnd(20)} ${own.length - failures.length} of ${own.length}`;
    return [score, ...failures.flatMap(failureLines)];
  });
  const [all, failed] = [results.length, results.filter(({ passed }) => !passed).length];
  const conforms = `conforms to the contract: ${all} of ${all} checks passed`;
  const fails = `does not conform to the contract: ${failed} of ${all} checks failed; repair the first one first`;
  return [...lines, '', `${driver} ${failed === 0 ? conforms : fails}`, ''].join('\n');
}

function failureLines({ title, failure = '' }: CheckResult): string[] {
  const hint = advice[title];
  const text = stripVTControlCharacters(failure).split('\n');
  const shown = text.filter(line => line.trim() !== '' && !/^\s+at /.test(line)).slice(0, MOST_LINES);
  return [`    ✗ ${title}`, ...(hint === undefined ? [] : [`      ${hint}`]), ...shown.map(line => `        ${line}`)];
}
