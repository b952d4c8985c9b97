export interface ReadText {
  readonly value?: unknown;
  /** Says what is wrong with the text. */
  readonly error?: string;
}

/** Reads what somebody types as JSON. */
export function jsonOf(text: string): ReadText {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { error: `This is no JSON: ${(error as Error).message}` };
  }
}
