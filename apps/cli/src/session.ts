import { Api } from './api/api.js';
import { connectionOf } from './settings/connection.js';
import { formatOf, type Format } from './output/output.js';
import { paintStatus, unpainted } from './output/color.js';
import { PageNames } from './output/names.js';
import { UsageError } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/** The flags that every command takes. */
export interface GlobalFlags {
  readonly profile?: string;
  readonly project?: string;
  readonly at?: string;
  readonly output?: string;
  readonly columns?: string;
  readonly color?: boolean;
  readonly debug?: boolean;
}

/** One run of a command: where it writes, and the API that it asks. */
export class Session {
  readonly format: Format;
  private opened: Api | undefined;

  /** Throws UsageError for a format that does not exist. */
  constructor(
    readonly terminal: Terminal,
    readonly flags: GlobalFlags,
    readonly now: () => number = Date.now,
  ) {
    this.format = formatOf(flags.output);
    if (flags.columns !== undefined && this.format !== 'table' && this.format !== 'wide')
      throw new UsageError('--columns chooses the columns of a table; it has no effect on the other formats');
  }

  get api(): Api {
    this.opened ??= new Api(connectionOf(this.terminal, this.flags), this.terminal.signal, this.sender());
    return this.opened;
  }

  /** Colours cells on a terminal, unless `NO_COLOR` or `--no-color` says otherwise. */
  get paint(): (cell: string) => string {
    const { interactive, env } = this.terminal;
    return interactive && this.flags.color !== false && !env['NO_COLOR'] ? paintStatus : unpainted;
  }

  names(): PageNames {
    return new PageNames(this.api, this.now());
  }

  /** The query of a read at a past time, where one was asked for. */
  atQuery(): { readonly at?: string } {
    return this.flags.at === undefined ? {} : { at: this.flags.at };
  }

  /** A line for people. It is no part of the data. */
  note(line: string): void {
    this.terminal.err(`${line}\n`);
  }

  /** With `--debug` each request is named with its answer; credentials, headers and bodies are not. */
  private sender(): typeof fetch | undefined {
    if (!this.flags.debug) return undefined;
    return async (input, init) => {
      const started = this.now();
      const what = `${init?.method ?? 'GET'} ${String(input)}`;
      try {
        const response = await fetch(input, init);
        const id = response.headers.get('x-correlation-id') ?? 'none';
        this.note(`debug: ${what} ${response.status} in ${this.now() - started} ms, correlation id ${id}`);
        return response;
      } catch (error) {
        this.note(`debug: ${what} got no answer in ${this.now() - started} ms`);
        throw error;
      }
    };
  }
}
