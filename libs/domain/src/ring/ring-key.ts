import { createHash } from 'node:crypto';

/** The mode is `pinned` while any live member runs a release without groups in ring keys. */
export type KeyMode = 'group' | 'pinned';

type GroupResult =
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly code: 'group-too-long' };

const MAX_GROUP_CODE_POINTS = 255;

/**
 * Returns the group in the form in which groups are compared: Unicode NFC, lower case. The limit of 255 code points applies to the given
 * text, since folding may change its length.
 */
export function normaliseGroup(group: string): GroupResult {
  if (Array.from(group).length > MAX_GROUP_CODE_POINTS) return { ok: false, code: 'group-too-long' };
  return { ok: true, value: foldGroup(group) };
}

/** Normalises a group like {@link normaliseGroup} without the check of its length. */
export function foldGroup(group: string): string {
  return group.normalize('NFC').toLowerCase().normalize('NFC');
}

/** Returns the ring key of a driver in a group: `normalised group:driver`, or only the driver while the ring is pinned. */
export function ringKey(group: string, driver: string, mode: KeyMode): string {
  return mode === 'pinned' ? driver : `${foldGroup(group)}:${driver}`;
}

/** Returns the parts of a key. A driver name has no colon, so the last colon splits it; `group` is absent in a pinned key. */
export function parseRingKey(key: string): { readonly group?: string; readonly driver: string } {
  const colon = key.lastIndexOf(':');
  if (colon < 0) return { driver: key };
  return { group: key.slice(0, colon), driver: key.slice(colon + 1) };
}

/**
 * Returns a group in the form of subjects: the token of its keys without the driver. Subjects of what a conductor sends and receives for
 * itself have it, whatever drivers it has, and whether or not the ring is pinned.
 */
export const groupToken = (group: string): string => keyToken(`${foldGroup(group)}:`);

/** Returns the key in the form of subjects: the first 128 bits of its SHA-256 as 32 lower-case hex digits. */
export function keyToken(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex').slice(0, 32);
}
