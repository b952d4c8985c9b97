import type { StoredDocument } from '../document-store.port.js';

/** The escapes of keys. FerretDB and old releases of MongoDB accept no key with a dot or a leading dollar. */
const escapes: Readonly<Record<string, string>> = { '.': '%2E', '%': '%25', $: '%24' };

const toKey = (key: string): string => key.replace(/[.%]|^\$/g, found => escapes[found] ?? found);
const fromKey = (key: string): string =>
  key.includes('%') ? key.replace(/%2E|%25|%24/g, found => String.fromCharCode(parseInt(found.slice(1), 16))) : key;

/** Returns the value with renamed keys at every depth; the same object when no key changes. */
function rekeyed(value: unknown, rename: (key: string) => string): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) {
    const items = value.map(item => rekeyed(item, rename));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  let changed = false;
  const entries = Object.entries(value).map(([key, member]) => {
    const [name, inner] = [rename(key), rekeyed(member, rename)];
    changed ||= name !== key || inner !== member;
    return [name, inner] as const;
  });
  return changed ? Object.fromEntries(entries) : value;
}

/** Escapes the keys of a document: maps of users, such as labels, may have any characters. */
export const storedForm = (document: StoredDocument): StoredDocument => rekeyed(document, toKey) as StoredDocument; // keys of the first level are field names

/** Restores a document from its stored form. */
export const originalForm = (document: StoredDocument): StoredDocument => rekeyed(document, fromKey) as StoredDocument;
