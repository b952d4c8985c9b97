/** Returns the code of an error of the system or of a client, such as `ENOENT`; undefined for anything without one. Works for errors of every realm. */
export const errorCode = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
