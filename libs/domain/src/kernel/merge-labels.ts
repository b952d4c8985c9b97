import type { Problem } from './decider.js';

type Labels = Readonly<Record<string, string>>;

export const MAX_LABELS = 64;

/** JSON Merge Patch (RFC 7396) of one level: null removes one, and for the complete all. */
export function mergeLabels(labels: Labels, patch: Readonly<Record<string, string | null>> | null): Labels {
  if (patch === null) return {};
  return Object.fromEntries(
    Object.entries({ ...labels, ...patch }).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}

/** What a resource with these labels breaks; what was not given breaks nothing. */
export function labelProblems(labels: Labels | undefined, pointer = '/labels'): readonly Problem[] {
  const count = Object.keys(labels ?? {}).length;
  if (count <= MAX_LABELS) return [];
  return [{ pointer, code: 'too-many', detail: `the result has ${count} labels; at most ${MAX_LABELS} are allowed` }];
}
