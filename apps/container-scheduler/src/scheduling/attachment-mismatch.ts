import { RefusedError, type FieldProblem } from '@stave/contracts';
import { brokenRules, subnetOf, type AttachmentKind } from '@stave/domain';

/** A member of a network or volume as a container gives it; one without a value agrees with everything. */
export interface GivenMember {
  readonly member: string;
  readonly pointer: string;
  readonly value: unknown;
}

const sorted = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
};

const text = (member: string, value: unknown): string => {
  const block = member === 'subnet' && typeof value === 'string' ? subnetOf(value) : undefined;
  return JSON.stringify(block ?? sorted(value) ?? null);
};

/** Returns every member in which a network or volume differs from what a container gives for it, with the code `<kind>-mismatch`. */
export function mismatches(
  kind: AttachmentKind,
  given: readonly GivenMember[],
  existing: Readonly<Record<string, unknown>>,
): readonly FieldProblem[] {
  const differing = given.filter(
    ({ member, value }) => value !== undefined && text(member, value) !== text(member, existing[member]),
  );
  return differing.map(({ member, pointer, value }) => {
    const [is, was] = [JSON.stringify(value), JSON.stringify(existing[member] ?? null)];
    const detail = `the ${kind} ${String(existing['name'])} exists with ${member} ${was}, not ${is}`;
    return { pointer, code: `${kind}-mismatch`, detail };
  });
}

/** Throws RefusedError (422) for problems, with their code where all have the same one. */
export function requireNone(problems: readonly FieldProblem[]): void {
  const [first] = problems;
  if (!first) return;
  const refusal = brokenRules(problems);
  const isOne = problems.every(({ code }) => code === first.code);
  throw new RefusedError(isOne ? { ...refusal, code: first.code } : refusal);
}
