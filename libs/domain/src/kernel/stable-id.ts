import { createHash } from 'node:crypto';

const NAMESPACE = Buffer.from('6f1d8a52a1c04d7c9c5b0f6f6c6a7e11', 'hex');

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns whether the text has the form of an id. Names never have it. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** Returns the UUIDv5 (RFC 9562, section 5.5) of the parts. Each has its length as a prefix, so that `a`,`bc` and `ab`,`c` differ. */
export function stableId(...parts: readonly (string | number)[]): string {
  const name = parts.map(p => `${String(p).length}:${p}`).join('');
  const hash = createHash('sha1').update(NAMESPACE).update(name).digest().subarray(0, 16);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
