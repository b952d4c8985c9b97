import { libDirectory } from '../machine/directories.js';
import { quote } from './quote.js';

/** The variables of a script: texts, numbers, and lists, which become arrays of Bash. */
export type ScriptVariables = Readonly<Record<string, string | number | readonly string[]>>;

/**
 * Returns a Bash script: its variables, quoted, before a constant body that reads them. Nothing else is inserted into a body, so no input
 * can become code. Throws a RangeError on a name that is no variable.
 */
export function script(body: string, variables: ScriptVariables = {}): string {
  return [
    '#!/bin/bash',
    'set -euo pipefail',
    'umask 077',
    '# shellcheck source=/dev/null',
    `. ${libDirectory}/functions.sh`,
    ...Object.entries(variables).map(([name, value]) => assignment(name, value)),
    '',
    body.trim(),
    '',
  ].join('\n');
}

function assignment(name: string, value: string | number | readonly string[]): string {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new RangeError(`${name} is no name of a variable`);
  if (typeof value === 'number') return `${name}=${value}`;
  return typeof value === 'string' ? `${name}=${quote(value)}` : `${name}=(${value.map(quote).join(' ')})`;
}
