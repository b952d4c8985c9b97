import type { FieldProblem } from '@stave/contracts';

const MAX_DEPTH = 32;
const loneSurrogate = /\p{Surrogate}/u;
/** Tab, line feed and carriage return are not control characters of texts. */
const inTexts = /(?![\t\n\r])\p{Cc}/u;
const inLines = /\p{Cc}/u;
/**
 * Characters that nobody sees and that change what is seen, or hide a difference: direction marks, joiners, spaces without width, separators of
 * lines, fillers. Selectors of variants are none: they belong to the character before them.
 */
const unseen = /(?![\uFE00-\uFE0F])[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** Finds every text with a problem, and some without: it takes pairs of surrogates apart. */
const suspicious = /[\0-\x1f\x7f-\x9f\ud800-\udfff]/;

/** Whether the text shows what it is, on one line. */
export const isPlainLine = (text: string): boolean => !inLines.test(text) && !unseen.test(text);

/** Escapes the name of a member for a JSON pointer. */
export const escapedMember = (member: string): string => member.replaceAll('~', '~0').replaceAll('/', '~1');

interface Checked {
  readonly controls: RegExp;
  /** What of a value the text is, in a sentence. */
  readonly what: string;
}

const aText: Checked = { controls: inTexts, what: '' };
const aLine: Checked = { controls: inLines, what: '' };
const aName: Checked = { controls: inLines, what: 'a name with ' };

function textProblems(text: string, pointer: string, { controls, what }: Checked): FieldProblem[] {
  if (loneSurrogate.test(text))
    return [{ pointer, code: 'invalid-unicode', detail: `has ${what}half of a surrogate pair` }];
  return controls.test(text) ? [{ pointer, code: 'control-character', detail: `has ${what}a control character` }] : [];
}

/**
 * Returns what exceeds the limits of every body, also in members that schemas leave free: text that UTF-8 cannot encode (half a
 * surrogate pair), which the store would change, control characters, which terminals and logs would obey, and nesting that would
 * exhaust the stack.
 */
export function beyondJsonLimits(value: unknown): FieldProblem[] {
  if (isPlain(value, 0)) return [];
  const found: FieldProblem[] = [];
  collect(value, '', 0, found);
  return found;
}

/** Whether nothing of the value can have a problem. Most bodies end here, at a third of the cost of `collect`. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return !suspicious.test(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every(item => isPlain(item, depth + 1));
  const members = value as Readonly<Record<string, unknown>>;
  for (const key in members) if (suspicious.test(key) || !isPlain(members[key], depth + 1)) return false;
  return true;
}

function collect(value: unknown, pointer: string, depth: number, found: FieldProblem[]): void {
  if (typeof value === 'string') return void found.push(...textProblems(value, pointer, aText));
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) {
    found.push({ pointer, code: 'too-deep', detail: `is nested deeper than ${MAX_DEPTH}` });
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    const inside = `${pointer}/${escapedMember(key)}`;
    if (!Array.isArray(value)) found.push(...textProblems(key, inside, aName));
    collect(member, inside, depth + 1, found);
  }
}

/** Returns the problems of one line of text, such as a query parameter. */
export const lineProblems = (text: string, pointer: string): FieldProblem[] => textProblems(text, pointer, aLine);
