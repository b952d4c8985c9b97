import { instantOf } from '../kernel/instant.js';
import type { DisruptionCause } from './container-set-events.js';
import type { SetMemberView } from './set-member-view.js';

/** A simulated container of a set. */
export interface Unit {
  state: 'starting' | 'active' | 'failed' | 'lost' | 'gone';
  since: number;
  /** When it becomes active, fails, or is gone. */
  due: number;
  leaving: boolean;
  mustGo?: DisruptionCause;
  /** Counts the times that it was built or started. */
  generation: number;
  /** Its health checks, while it runs; absent: it has none, or nothing is known. */
  health?: 'healthy' | 'unhealthy';
  nodeFailed?: boolean;
  /** Only a user moves it. */
  isFixed?: boolean;
  /** It waits for a node. */
  unschedulable?: boolean;
}

function findingOn({ state, health, nodeFailed, generation, isFixed }: Unit): Pick<SetMemberView, 'unhealthy'> {
  const on = { reason: 'simulated', generation, keepsNode: true } as const;
  if (state === 'failed') return { unhealthy: { by: 'status', code: 'image-missing', ...on } };
  if (state !== 'active') return {};
  const running = { ...on, ...(isFixed && { isFixed: true as const }) };
  if (health === 'unhealthy') return { unhealthy: { by: 'healthCheck', code: 'unhealthy', ...running } };
  return nodeFailed ? { unhealthy: { by: 'node', code: 'node-failed', ...running } } : {};
}

/** Returns what a set sees of the simulated container. */
export function simulatedView(id: string, unit: Unit): SetMemberView {
  const found = findingOn(unit);
  const more = { ...(unit.mustGo === undefined ? {} : { mustGo: unit.mustGo }), ...found };
  switch (unit.state) {
    case 'gone':
      return { deleted: true };
    case 'active':
      return unit.health === 'unhealthy'
        ? { deleted: false, waiting: { code: 'unhealthy', reason: 'it is unhealthy' }, ...more }
        : { deleted: false, activeSince: instantOf(unit.since), ...more };
    case 'failed':
      return {
        deleted: false,
        failed: { code: 'image-missing', reason: 'no such image', nodeId: `n-${id}` },
        ...found,
      };
    case 'lost':
      return { deleted: false, failed: { code: 'node-lost', reason: 'gone', lost: true } };
    default:
      return {
        deleted: false,
        waiting: { code: unit.unschedulable ? 'unschedulable' : 'creating', reason: 'starting' },
        ...more,
      };
  }
}
