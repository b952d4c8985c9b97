import type { Terminal } from './terminal.js';

export interface FakeTerminal extends Terminal {
  readonly written: { out: string; err: string };
}

/** A terminal that keeps what is written. */
export function fakeTerminal(
  options: { input?: string; env?: Record<string, string>; columns?: number; interactive?: boolean } = {},
): FakeTerminal {
  const written = { out: '', err: '' };
  return {
    written,
    env: options.env ?? {},
    cwd: '/',
    checkout: '/',
    interactive: options.interactive ?? false,
    columns: options.columns,
    out: text => void (written.out += text),
    err: text => void (written.err += text),
    drained: () => Promise.resolve(),
    readInput: () => Promise.resolve(options.input ?? ''),
    signal: new AbortController().signal,
  };
}
