import type { Credential } from './messages.js';

/** Returns the API key of requests; undefined: the browser adds its cookie, if it has one. */
export const tokenOf = (credential: Credential | null | undefined): string | undefined =>
  credential?.kind === 'key' ? credential.key : undefined;
