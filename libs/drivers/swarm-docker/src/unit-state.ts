import type { Unit } from '@stave/driver-sdk';

/** State of a unit by the engine's word for a container's. */
export function stateOf(state: string): Unit['state'] {
  if (state === 'running') return 'running';
  if (state === 'created') return 'creating';
  return state === 'exited' || state === 'paused' ? 'stopped' : 'failed';
}
