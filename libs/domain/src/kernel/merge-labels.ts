/** JSON Merge Patch (RFC 7396) of one level: null removes. */
export function mergeLabels(
  labels: Readonly<Record<string, string>>,
  patch: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries({ ...labels, ...patch }).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}
