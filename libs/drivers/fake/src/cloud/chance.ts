/** Returns a pseudo-random number in [0, 1) that depends on seed and key only: FNV-1a and the finaliser of MurmurHash3 (public domain). */
export function chance(seed: string, key: string): number {
  let hash = 0x811c9dc5;
  const input = `${seed.length}:${seed}${key}`;
  for (let i = 0; i < input.length; i++) hash = Math.imul(hash ^ input.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x100000000;
}
