/**
 * Starts a process and stops it gracefully at SIGTERM or SIGINT; a signal during the start takes effect after it. Further signals
 * have no effect, because a terminal sends SIGINT to the npm script and to this process. Exits with 1 when the start or the stop fails.
 */
export function runUntilSignal(start: () => Promise<() => Promise<void>>): void {
  const exitWith = (shown: unknown): void => {
    console.error(shown);
    process.exit(1);
  };
  const starting = start();
  let stopping: Promise<void> | undefined;
  const handle = (): void => {
    stopping ??= starting.then(stop => stop().then(() => process.exit(0), exitWith));
  };
  process.on('SIGTERM', handle).on('SIGINT', handle);
  starting.catch((error: unknown) => exitWith(error instanceof Error ? error.message : error));
}
