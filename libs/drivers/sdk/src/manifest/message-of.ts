/** Returns the message of an error, or the text of any other thrown value. */
export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
