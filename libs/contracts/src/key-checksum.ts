import { crc32 } from 'node:zlib';

const DIGITS = 8;
const shape = /^stv_[0-9A-Za-z]+_[0-9A-Za-z]{20,}$/;

const checksumOf = (text: string): string => crc32(text).toString(16).padStart(DIGITS, '0');

/** Returns the text of an API key with its checksum (CRC-32, hexadecimal). */
export const withChecksum = (text: string): string => text + checksumOf(text);

/**
 * Returns whether a text can be an API key: one of the present form has the right checksum, so that a truncated or mistyped key is
 * refused without a look-up. Keys of earlier releases and those that operators put into a file have any form.
 */
export function mayBeKey(text: string): boolean {
  if (!text.startsWith('stv_')) return true;
  return shape.test(text) && checksumOf(text.slice(0, -DIGITS)) === text.slice(-DIGITS);
}
