/** What a stop may take besides the time that the process gives to its work. */
export const STOP_MARGIN_MS = 30_000;

/** A part of a process that is stopped, with the name that people see when it does not stop in time. */
export type StopStep = readonly [name: string, stop: () => Promise<unknown> | void];

/** A stop that did not end, with what it waited for. */
export class LateStopError extends Error {
  override readonly name = 'LateStopError';

  constructor(
    readonly waitingFor: string,
    readonly withinMs: number,
  ) {
    super(`the stop did not end within ${withinMs / 1_000} s: it waits for ${waitingFor}`);
  }
}

/** Runs the steps one after the other. Throws the error of a step, and LateStopError when they do not end in time. */
export async function stopWithin(withinMs: number, steps: readonly StopStep[]): Promise<void> {
  let step = '';
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LateStopError(step, withinMs)), withinMs);
  });
  const done = (async () => {
    for (const [name, stop] of steps) {
      step = name;
      await stop();
    }
  })();
  await Promise.race([done, late]).finally(() => clearTimeout(timer));
}
