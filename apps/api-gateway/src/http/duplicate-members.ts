import type { FieldProblem } from '@stave/contracts';
import { escapedMember } from '@stave/service-kit';

interface Level {
  /** The names so far; absent in a list. */
  readonly names?: Set<string>;
  /** The part of the pointer of the value that is read now. */
  place: string | number;
}

/** No resource has as many; each costs work in every check. */
const MAX_VALUES = 20_000;
const tooMany: FieldProblem = {
  pointer: '',
  code: 'too-many',
  detail: `has more than ${MAX_VALUES} members and items`,
};
/** Deeper bodies are refused for their depth. */
const MAX_DEPTH = 64;
/** Texts and the punctuation that structures JSON; numbers and words say nothing about names. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/**
 * Returns a problem for each name that one object of a JSON text has more than once, or one problem for a text with too many values; `JSON.parse` keeps the last value without a word.
 * The text must be valid JSON.
 */
export function duplicateMembers(text: string): FieldProblem[] {
  const problems = new Map<string, FieldProblem>();
  const levels: Level[] = [];
  let name: string | undefined;
  let values = 0;
  for (const [token] of text.matchAll(tokens)) {
    if ((token === ',' || token === '{' || token === '[') && ++values > MAX_VALUES) return [tooMany];
    const level = levels.at(-1);
    if (levels.length > MAX_DEPTH) break;
    if (token === '{') levels.push({ names: new Set(), place: '' });
    else if (token === '[') levels.push({ place: 0 });
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ',' && typeof level?.place === 'number') level.place++;
    else if (token === ':' && level?.names && name !== undefined) {
      level.place = name;
      if (level.names.has(name)) {
        const pointer = levels.map(({ place }) => `/${escapedMember(String(place))}`).join('');
        problems.set(pointer, { pointer, code: 'duplicate-member', detail: 'occurs more than once' });
      }
      level.names.add(name);
    } else if (token.startsWith('"')) name = token.includes('\\') ? String(JSON.parse(token)) : token.slice(1, -1);
  }
  return [...problems.values()];
}
