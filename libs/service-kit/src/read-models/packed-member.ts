import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** The field of a stored document with those members that are packed. */
export const PACKED = 'packed';
/** Shorter lists take no less memory when they are packed. */
const SHORT = 4;

/** Packs a list of a document that does not change any more and is seldom read: it takes about a tenth of the memory. */
export function withPacked<D extends Readonly<Record<string, unknown>>>(document: D, member: string): object {
  const { [member]: list, ...rest } = document;
  if (!Array.isArray(list) || list.length <= SHORT) return document;
  return { ...rest, [PACKED]: { [member]: packedText(list) } };
}

/** The field of a stored document with members that clients do not see. */
export const HIDDEN = 'hidden';

/** Adds a list that clients do not see to a document that does not change any more. */
export const withHidden = (document: object, member: string, list: readonly unknown[]): object => ({
  ...document,
  [HIDDEN]: { [member]: packedText(list) },
});

/** Returns a list that clients do not see; undefined where the document has none. */
export function hiddenMember(document: Readonly<Record<string, unknown>>, member: string): unknown {
  const text = (document[HIDDEN] as Readonly<Record<string, string>> | undefined)?.[member];
  return text === undefined ? undefined : readPacked(text);
}

const packedText = (list: readonly unknown[]): string => deflateRawSync(JSON.stringify(list)).toString('base64');
const readPacked = (text: string): unknown => JSON.parse(inflateRawSync(Buffer.from(text, 'base64')).toString());

/** Returns the members that were packed. */
export function unpacked(packed: unknown): Readonly<Record<string, unknown>> {
  const members = Object.entries((packed ?? {}) as Readonly<Record<string, string>>);
  return Object.fromEntries(members.map(([name, text]) => [name, readPacked(text)]));
}
