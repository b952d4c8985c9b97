import type { Query } from '../api/queries.js';
import { flag, withFlags, type ShellCommand } from './shell-command.js';

interface Listed {
  /** The filters of the page. */
  readonly query: Query;
  /** The order that the reader has chosen. */
  readonly sort: string | undefined;
  /** The moment of the past that the page shows. */
  readonly at: string | undefined;
}

const textOf = (value: Query[string] | undefined): string | undefined =>
  value === undefined ? undefined : String(value);

/** The command that prints the list of a page, with what the page filters and sorts by, at the moment that it shows. */
export function listCommand(command: ShellCommand, { query, sort, at }: Listed): ShellCommand {
  return withFlags(command, [
    flag('name', textOf(query['name~'])),
    flag('status', textOf(query['status'])),
    flag('sort', sort),
    flag('at', at),
  ]);
}
