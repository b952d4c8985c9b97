import type { FieldProblem } from '@stave/contracts';

const MAX_DEPTH = 32;
const loneSurrogate = /\p{Surrogate}/u;

const problem = (pointer: string, code: string, detail: string): FieldProblem => ({ pointer, code, detail });

/**
 * Returns what exceeds the limits of every body, also in members that schemas leave free: text that UTF-8 cannot encode (half a
 * surrogate pair), which the store would change, and nesting that would exhaust the stack.
 */
export function beyondJsonLimits(value: unknown, pointer = '', depth = 0): FieldProblem[] {
  if (typeof value === 'string')
    return loneSurrogate.test(value) ? [problem(pointer, 'invalid-unicode', 'has half of a surrogate pair')] : [];
  if (typeof value !== 'object' || value === null) return [];
  if (depth >= MAX_DEPTH) return [problem(pointer, 'too-deep', `is nested deeper than ${MAX_DEPTH}`)];
  const found: FieldProblem[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (loneSurrogate.test(key))
      found.push(problem(pointer, 'invalid-unicode', 'a member name has half of a surrogate pair'));
    found.push(...beyondJsonLimits(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1));
  }
  return found;
}
