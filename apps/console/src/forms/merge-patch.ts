type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const removals = (before: Members, after: Members): Members =>
  Object.fromEntries(
    Object.keys(before)
      .filter(name => !(name in after))
      .map(name => [name, null]),
  );

/** Whether two values say the same, whatever the order of their members. */
function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, index) => isSame(one, b[index]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every(name => name in b && isSame(a[name], b[name]));
}

/** The members that differ; those that are gone are null. Objects are named whole, so that their required members are there. */
export function patchOf(before: Members, after: Members): Members {
  const changed = Object.entries(after)
    .filter(([name, value]) => !isSame(before[name], value))
    .map(([name, value]) => {
      const old = before[name];
      return [name, isObject(value) && isObject(old) ? { ...removals(old, value), ...value } : value];
    });
  return { ...removals(before, after), ...(Object.fromEntries(changed) as Members) };
}
