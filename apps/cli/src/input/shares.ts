const isShare = (word: string): boolean => /^-\d+(\.\d+)?%$/.test(word);

/**
 * Returns the words of a command line with its negative shares, such as `-50%`, after all options: commander takes `-1` for a value, but
 * `-1%` for an option that it does not know.
 */
export function sharesAsValues(words: readonly string[]): string[] {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const options = words.slice(0, end);
  const shares = options.filter(isShare);
  if (shares.length === 0) return [...words];
  return [...options.filter(word => !isShare(word)), '--', ...shares, ...words.slice(end + 1)];
}
