/** A violation of a description of a node. `pointer` is the JSON pointer of the field, `code` what is wrong with it. */
export interface DescriptionProblem {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** A description that is refused; it names every field that is wrong and contains no value, because values may be secrets. */
export class InvalidDescriptionError extends Error {
  constructor(readonly problems: readonly DescriptionProblem[]) {
    super(`the description of a node is invalid: ${problems.map(text).join('; ')}`);
    this.name = 'InvalidDescriptionError';
  }
}

const text = ({ pointer, detail }: DescriptionProblem): string => `${pointer || '/'}: ${detail}`;
