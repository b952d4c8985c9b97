import { conflict, type Refusal } from './decider.js';
import { summarizeList } from './listing.js';

/** Refuses to delete what is in use, with the names of its users. */
export function inUse(what: string, users: readonly string[]): Refusal | undefined {
  if (users.length === 0) return undefined;
  return { ...conflict('in-use', `${what} is used by ${summarizeList(users)}`), extra: { users: users.slice(0, 20) } };
}
