const LONGEST = 63;
const SUFFIX = 6;

/** `<source>-<6 characters>`, at most 63 characters: the name of what was made from a source and given none. `unique`: any text with enough chance at its end. */
export function generatedName(source: string, unique: string): string {
  const kept = source.slice(0, LONGEST - SUFFIX - 1).replace(/-+$/, '');
  return `${kept}-${unique.slice(-SUFFIX)}`;
}

/** Enough chance for a name, from the end of a UUID, in letters and digits. */
export const randomSource = (uuid: string): string =>
  BigInt(`0x${uuid.replaceAll('-', '').slice(-12)}`)
    .toString(36)
    .padStart(SUFFIX, '0');
