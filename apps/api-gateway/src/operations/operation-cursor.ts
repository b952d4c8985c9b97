import { badCursor, decodeCursor, encodeCursor, listKey } from '@stave/service-kit';
import type { ListQuery } from '@stave/contracts';

interface Place {
  readonly createdAt: string;
  readonly id: string;
}

/** Pages of the merged list in one order and filter: everything after a cursor in the order (createdAt, id) comes next. */
export class OperationCursor {
  private readonly key: string;

  constructor(
    private readonly direction: 1 | -1,
    filter: ListQuery['filter'],
  ) {
    this.key = listKey('operations', [['createdAt', direction]], filter);
  }

  at({ createdAt, id }: Place): string {
    return encodeCursor(this.key, [createdAt, id]);
  }

  /** The document filter for what comes after the cursor. Throws RefusedError (400) for what this list did not answer. */
  after(text: string): Record<string, unknown> {
    const [createdAt, id] = decodeCursor(text, this.key, 2);
    if (typeof createdAt !== 'string' || typeof id !== 'string') throw badCursor();
    const beyond = this.direction === 1 ? '$gt' : '$lt';
    return { $or: [{ createdAt: { [beyond]: createdAt } }, { $and: [{ createdAt }, { _id: { [beyond]: id } }] }] };
  }
}
