/** Returns at most so many of the first values, and takes no more of them. */
export function firstOf<T>(values: Iterable<T>, most: number): readonly T[] {
  const found: T[] = [];
  if (most <= 0) return found;
  for (const value of values) {
    found.push(value);
    if (found.length >= most) break;
  }
  return found;
}
