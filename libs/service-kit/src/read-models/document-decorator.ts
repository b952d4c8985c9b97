import type { ResourceDocument } from '@stave/contracts';

interface Shown {
  readonly key: unknown;
  readonly item: ResourceDocument;
}

/**
 * Adds to documents what no read model holds. The same document with the same key is the same frozen object again, which the gateway turns
 * into text once.
 */
export class DocumentDecorator<K> {
  private readonly made = new WeakMap<ResourceDocument, Shown>();

  /** `members` gives the same for the same key. */
  constructor(private readonly members: (document: ResourceDocument, key: K) => Readonly<Record<string, unknown>>) {}

  of(document: ResourceDocument, key: K): ResourceDocument {
    const known = this.made.get(document);
    if (known && known.key === key) return known.item;
    const item = Object.freeze({ ...document, ...this.members(document, key) });
    this.made.set(document, { key, item });
    return item;
  }
}
