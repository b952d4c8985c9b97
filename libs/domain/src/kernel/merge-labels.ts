import type { Problem } from './decider.js';

type Labels = Readonly<Record<string, string>>;

export const MAX_LABELS = 64;

/** Applies a JSON merge patch to labels: null removes a label; a patch that is null removes all. */
export function mergeLabels(labels: Labels, patch: Readonly<Record<string, string | null>> | null): Labels {
  if (patch === null) return {};
  return Object.fromEntries(
    Object.entries({ ...labels, ...patch }).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}

/** Reports too many labels. Absent labels are accepted. */
export function labelProblems(labels: Labels | undefined, pointer = '/labels'): readonly Problem[] {
  const count = Object.keys(labels ?? {}).length;
  if (count <= MAX_LABELS) return [];
  return [{ pointer, code: 'too-many', detail: `the result has ${count} labels; at most ${MAX_LABELS} are allowed` }];
}
