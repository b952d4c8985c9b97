import { hash } from 'node:crypto';

const NAMESPACE = Buffer.from('6f1d8a52a1c04d7c9c5b0f6f6c6a7e11', 'hex');
const VARIANTS = '89ab';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns whether the text has the form of an id. Names never have it. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** Returns the UUIDv5 (RFC 9562, section 5.5) of the parts. Each has its length as a prefix, so that `a`,`bc` and `ab`,`c` differ. */
export function stableId(...parts: readonly (string | number)[]): string {
  const name = parts.map(p => `${String(p).length}:${p}`).join('');
  // one call of the library costs half of what an object for the hash does, and this runs for every request and many events
  const hex = hash('sha1', Buffer.concat([NAMESPACE, Buffer.from(name)]), 'hex');
  const variant = VARIANTS.charAt(Number.parseInt(hex.charAt(16), 16) & 0x3);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
