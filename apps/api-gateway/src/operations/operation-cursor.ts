import { badCursor, decodeCursor, encodeCursor, listKey } from '@stave/service-kit';
import type { ListQuery } from '@stave/contracts';

interface LastItem {
  readonly createdAt: string;
  readonly id: string;
}

/** Encodes the last item of a page of the merged list, which is ordered by (createdAt, id). */
export class OperationCursor {
  private readonly key: string;

  constructor(
    private readonly direction: 1 | -1,
    filter: ListQuery['filter'],
  ) {
    this.key = listKey('operations', [['createdAt', direction]], filter);
  }

  at({ createdAt, id }: LastItem): string {
    return encodeCursor(this.key, [createdAt, id]);
  }

  /** Returns the document filter for items after the cursor. Throws RefusedError (400) for a cursor of another list. */
  after(text: string): Record<string, unknown> {
    const [createdAt, id] = decodeCursor(text, this.key, 2);
    if (typeof createdAt !== 'string' || typeof id !== 'string') throw badCursor();
    const beyond = this.direction === 1 ? '$gt' : '$lt';
    return { $or: [{ createdAt: { [beyond]: createdAt } }, { $and: [{ createdAt }, { _id: { [beyond]: id } }] }] };
  }
}
