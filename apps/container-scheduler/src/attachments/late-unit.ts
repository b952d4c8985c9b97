/**
 * Returns whether a unit of this generation is left over from a late creation of a network or volume that is there. While that is deleted,
 * every unit is what the deletion removes.
 */
export const isLateUnit = (
  { deleting, generation }: { readonly deleting: boolean; readonly generation: number },
  of: number,
): boolean => !deleting && of < generation;
