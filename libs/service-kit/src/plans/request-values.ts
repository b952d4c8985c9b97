import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

/** Makes the ids that a request needs, and keeps the texts that no plan may show. */
export interface RequestValues {
  /**
   * Returns a UUIDv7 for this purpose. In a planned request the same purpose and index give the same id in the dry run and in its execution;
   * otherwise every call returns a new id.
   */
  uuid(purpose: string, index?: number): string;
  /** Returns the text. Plans show `(generated)` in its place: it is a secret, or differs in every run. */
  conceal(text: string): string;
}

export const newValues: RequestValues = { uuid: () => uuidv7(), conceal: text => text };

/** Values that follow from a request and the id of its plan: a dry run and the execution of its plan get the same ids. */
export class PlannedValues implements RequestValues {
  readonly concealed = new Set<string>();

  /** `seed` is the digest of request and plan id; `timeMs` is the time in the ids. */
  constructor(
    readonly seed: string,
    private readonly timeMs: number,
  ) {}

  uuid(purpose: string, index = 0): string {
    const random = createHash('sha256').update(`${this.seed}:${purpose}:${index}`).digest().subarray(0, 16);
    return uuidv7({ msecs: this.timeMs, seq: index, random });
  }

  conceal(text: string): string {
    this.concealed.add(text);
    return text;
  }
}

/** Returns a function that gives one id after the other for the same purpose, from the first one on. */
export function idSequence(values: RequestValues, purpose: string): () => string {
  let index = 0;
  return () => values.uuid(purpose, index++);
}
