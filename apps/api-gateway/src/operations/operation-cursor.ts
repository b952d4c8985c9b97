import { RefusedError } from '@stave/contracts';

/** Where a merged page ended: everything after it in the order (createdAt, id) comes next. */
export interface OperationCursor {
  readonly createdAt: string;
  readonly id: string;
  readonly direction: 1 | -1;
}

export const encodeCursor = ({ createdAt, id, direction }: OperationCursor): string =>
  Buffer.from(JSON.stringify([createdAt, id, direction])).toString('base64url');

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** Throws RefusedError (400) for what no list answered. */
export function decodeCursor(text: string): OperationCursor {
  const value = parsed(text);
  const [createdAt, id, direction]: unknown[] = Array.isArray(value) ? value : [];
  if (typeof createdAt === 'string' && typeof id === 'string' && (direction === 1 || direction === -1))
    return { createdAt, id, direction };
  throw badCursor();
}

export function badCursor(): RefusedError {
  const detail = 'is not a cursor of this list';
  const errors = [{ pointer: '?cursor', code: 'malformed', detail }];
  return new RefusedError({ code: 'cursor-malformed', kind: 'invalid', detail: `cursor ${detail}`, errors });
}

/** The document filter for what comes after the cursor. */
export function afterCursor({ createdAt, id, direction }: OperationCursor): Record<string, unknown> {
  const beyond = direction === 1 ? '$gt' : '$lt';
  return { $or: [{ createdAt: { [beyond]: createdAt } }, { $and: [{ createdAt }, { id: { [beyond]: id } }] }] };
}
