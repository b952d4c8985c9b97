const C1 = 0xcc9e2d51;
const C2 = 0x1b873593;
const utf8 = new TextEncoder();
/** Read once: where globals go through a sandbox, as under Jest, each access costs more than the hash. */
const { imul } = Math;

function mixBlock(k: number): number {
  const multiplied = imul(k, C1);
  return imul((multiplied << 15) | (multiplied >>> 17), C2);
}

function addBlock(h: number, k: number): number {
  const mixed = h ^ mixBlock(k);
  return (imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

/** Applies the finaliser of MurmurHash3: each input bit changes each output bit with a probability near one half. */
export function fmix32(value: number): number {
  let h = value;
  h = imul(h ^ (h >>> 16), 0x85ebca6b);
  h = imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function hashBytes(bytes: Uint8Array, seed: number): number {
  const length = bytes.length;
  const blocks = length & ~3;
  const at = (i: number): number => bytes[i] ?? 0;
  let h = seed | 0;
  for (let i = 0; i < blocks; i += 4) {
    h = addBlock(h, at(i) | (at(i + 1) << 8) | (at(i + 2) << 16) | (at(i + 3) << 24));
  }
  if (length !== blocks) h ^= mixBlock(at(blocks) | (at(blocks + 1) << 8) | (at(blocks + 2) << 16));
  return fmix32(h ^ length);
}

/**
 * Returns the MurmurHash3_x86_32 (Austin Appleby, public domain) of the UTF-8 bytes as an unsigned 32-bit number. Not cryptographic.
 * ASCII text, the usual case, is hashed without an encoding.
 */
export function murmur3(text: string, seed = 0): number {
  const length = text.length;
  const blocks = length & ~3;
  let h = seed | 0;
  let seen = 0;
  for (let i = 0; i < blocks; i += 4) {
    const a = text.charCodeAt(i);
    const b = text.charCodeAt(i + 1);
    const c = text.charCodeAt(i + 2);
    const d = text.charCodeAt(i + 3);
    seen |= a | b | c | d;
    h = addBlock(h, a | (b << 8) | (c << 16) | (d << 24));
  }
  let tail = 0;
  for (let i = length - 1; i >= blocks; i -= 1) {
    const code = text.charCodeAt(i);
    seen |= code;
    tail = (tail << 8) | code;
  }
  if (seen > 127) return hashBytes(utf8.encode(text), seed);
  if (length !== blocks) h ^= mixBlock(tail);
  return fmix32(h ^ length);
}
