/** JSON Merge Patch (RFC 7396) of one level: null removes. */
export function mergedLabels(
  labels: Readonly<Record<string, string>>,
  patch: Readonly<Record<string, string | null>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries({ ...labels, ...patch }).filter((e): e is [string, string] => e[1] !== null),
  );
}
