import type { Unit } from '@stave/driver-sdk';

/** Converts the state of a container into the state of a unit. */
export function stateOf(state: string): Unit['state'] {
  if (state === 'running') return 'running';
  if (state === 'created') return 'creating';
  return state === 'exited' || state === 'paused' ? 'stopped' : 'failed';
}
