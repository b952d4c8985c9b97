import type { ChildProcess } from 'node:child_process';

const alive = new Set<ChildProcess>();
const endAll = (): void => alive.forEach(child => void child.kill('SIGKILL'));

/** Kills the child when this process exits, unless the child has ended by then. However many children run, this process has one listener. */
export function endWithThisProcess(child: ChildProcess): void {
  if (alive.size === 0) process.on('exit', endAll);
  alive.add(child);
  const forget = (): void => {
    if (alive.delete(child) && alive.size === 0) process.off('exit', endAll);
  };
  child.once('exit', forget);
  // a program that cannot be started has no exit
  child.once('error', () => child.pid === undefined && forget());
}
