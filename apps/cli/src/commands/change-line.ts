import type { Change, Document } from '../api/api.js';
import { nouns } from '../nouns/nouns.js';
import { printable } from '../output/values.js';

/** The type of what a path of the API is about: that of the last list in it. */
function typeOf(path: string): string {
  // lists and what is in them take turns after the version
  const lists = path.split('/').filter((_, index) => index > 0 && index % 2 === 0);
  const found = lists.flatMap(list => nouns.filter(({ path: own }) => own === `/${list}`));
  return found.at(-1)?.singular ?? '';
}

/** Says what a change was made to, and its status, as a sentence: a name alone could be read as a status, or a status as a name. */
export function changeLine({ method, path }: Pick<Change, 'method' | 'path'>, answer: Document): string {
  const { id, name, status, key } = answer;
  const called = name ?? id;
  if (called === undefined) return typeof key === 'string' ? key : 'done';
  const subject = `${typeOf(path)} ${printable(String(called))}`.trim();
  const isMade = method === 'post' && !path.includes('/actions/');
  const said = status === undefined ? (isMade ? 'is created' : 'is changed') : `is ${printable(String(status))}`;
  // the secret of an API key is shown this once
  return typeof key === 'string' ? `${subject} ${said}  ${key}` : `${subject} ${said}`;
}
