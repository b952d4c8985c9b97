import { RefusedError } from '@stave/contracts';
import { createHash } from 'node:crypto';
import type { DocumentFilter } from '@stave/platform';

const KEY_CHARACTERS = 8;

/** Returns a short key of a list in its order: the same for all pages of a request, whatever the order of its parts. */
export function listKey(
  name: string,
  sort: readonly (readonly [string, 1 | -1])[],
  filter: DocumentFilter | readonly DocumentFilter[],
): string {
  const text = JSON.stringify([name, sort, canonical(filter)]);
  return createHash('sha256').update(text).digest('base64url').slice(0, KEY_CHARACTERS);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.sort().join()}}`;
}

export const encodeCursor = (key: string, values: readonly unknown[]): string =>
  Buffer.from(JSON.stringify([key, ...values])).toString('base64url');

/** Returns the sort values in a cursor of this list. Throws RefusedError `invalid-cursor` for any other cursor. */
export function decodeCursor(cursor: string, key: string, values: number): unknown[] {
  try {
    const [of, ...found]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (of === key && found.length === values) return found;
  } catch {
    // falls through to the refusal
  }
  throw badCursor();
}

export function badCursor(): RefusedError {
  const detail = 'is not a cursor of this list: of this resource, order and filter';
  const errors = [{ pointer: '?cursor', code: 'invalid-cursor', detail }];
  return new RefusedError({ code: 'invalid-cursor', kind: 'invalid', detail: `cursor ${detail}`, errors });
}
