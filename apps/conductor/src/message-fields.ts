/** Returns the members of a received message; none when it is not an object. */
export const fieldsOf = (message: unknown): Readonly<Record<string, unknown>> =>
  typeof message === 'object' && message !== null ? { ...message } : {};
