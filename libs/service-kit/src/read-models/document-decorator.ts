import type { ResourceDocument } from '@stave/contracts';

/** Adds members to documents that no read model holds. Returns the same frozen object for the same document and key: the gateway serializes it once. */
export class DocumentDecorator<K> {
  private readonly made = new WeakMap<ResourceDocument, { readonly key: K; readonly item: ResourceDocument }>();

  /** `members` must depend on the document and the key only. */
  constructor(private readonly members: (document: ResourceDocument, key: K) => Readonly<Record<string, unknown>>) {}

  of(document: ResourceDocument, key: K): ResourceDocument {
    const known = this.made.get(document);
    if (known && known.key === key) return known.item;
    const item = Object.freeze({ ...document, ...this.members(document, key) });
    this.made.set(document, { key, item });
    return item;
  }
}
