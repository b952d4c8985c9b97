/** Where a command reads and writes. Data goes to `out` only; messages for people go to `err`. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The directory of this program's sources, in which `npm start` keeps its data. */
  readonly checkout: string;
  /** Whether `out` is a terminal. */
  readonly interactive: boolean;
  /** The width of `out` in characters; undefined when it is no terminal. */
  readonly columns: number | undefined;
  out(text: string): void;
  err(text: string): void;
  /** Resolves when `out` has taken what was written, so that a slow reader slows the command. */
  drained(): Promise<void>;
  readInput(): Promise<string>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}
