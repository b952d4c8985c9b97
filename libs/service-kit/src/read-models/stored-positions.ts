import type { DocumentCollection } from '@stave/platform';

/**
 * Positions that the elected replica has reached, stored for the others: up to `checkpoint` the documents are written; up to `settled`
 * everything that followed from the end of a resource is done.
 */
type StoredPosition = 'checkpoint' | 'settled';

export class StoredPositions {
  constructor(private readonly documents: DocumentCollection) {}

  /** Resolves to -1 for a position that was never stored. */
  async get(of: StoredPosition): Promise<number> {
    const position = (await this.documents.get(of))?.['position'];
    return typeof position === 'number' ? position : -1;
  }

  /** Stores the position unless a higher one is stored. */
  async put(of: StoredPosition, position: number): Promise<void> {
    await this.documents.write([{ replace: { _id: of, position } }]);
  }
}
