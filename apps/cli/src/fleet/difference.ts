import { isDeepStrictEqual } from 'node:util';
import { isDocument, type Document } from '../api/api.js';

/** Members whose entries are named by their user: what the file does not name there is removed. */
const maps = new Set(['labels', 'env', 'nodeSelector', 'options', 'overrides', 'properties']);

/**
 * Returns the merge patch (RFC 7396) that makes `present` what `wanted` says, and undefined when it is so already. Members that `wanted` does not
 * mention stay, but those of maps are removed.
 */
export function patchOf(wanted: Document, present: Document, members: readonly string[]): Document | undefined {
  const patch: Record<string, unknown> = {};
  for (const member of members) {
    if (!(member in wanted)) continue;
    const difference = valuePatch(wanted[member], present[member], maps.has(member));
    if (difference !== undefined) patch[member] = difference.value;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function valuePatch(wanted: unknown, present: unknown, complete: boolean): { readonly value: unknown } | undefined {
  if (isDeepStrictEqual(wanted, present) || (wanted === null && present === undefined)) return undefined;
  if (!isDocument(wanted) || !isDocument(present)) return { value: wanted };
  const value: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(wanted)) {
    const difference = valuePatch(inner, present[key], complete);
    if (difference !== undefined) value[key] = difference.value;
  }
  if (complete) for (const key of Object.keys(present)) if (!(key in wanted)) value[key] = null;
  return Object.keys(value).length === 0 ? undefined : { value };
}
