import { valid } from 'semver';
import type { ConductorJoined, OfferedDriver } from './ring-events.js';
import { normaliseGroup } from './ring-key.js';

export type JoinFault =
  | 'CONDUCTOR_ID_EMPTY'
  | 'SESSION_EMPTY'
  | 'GROUP_TOO_LONG'
  | 'WEIGHT_INVALID'
  | 'SERVICE_WITH_DRIVERS'
  | 'DRIVER_NAME_INVALID'
  | 'DRIVER_VERSION_INVALID'
  | 'DRIVER_DUPLICATE';

export interface Fault<C extends string> {
  readonly code: C;
  readonly detail: string;
}

/** Returns why a registration is invalid, whatever other members are registered; undefined when it is valid. */
export function joinFault(join: ConductorJoined): Fault<JoinFault> | undefined {
  if (join.conductor === '') return { code: 'CONDUCTOR_ID_EMPTY', detail: 'The conductor id is empty.' };
  if (join.session === '') return { code: 'SESSION_EMPTY', detail: 'The session is empty.' };
  if (!normaliseGroup(join.group).ok) {
    return { code: 'GROUP_TOO_LONG', detail: 'The group has more than 255 characters.' };
  }
  if (!(join.weight > 0 && Number.isFinite(join.weight))) {
    return { code: 'WEIGHT_INVALID', detail: `The weight ${join.weight} is not a finite number above 0.` };
  }
  if (join.kind === 'service' && join.drivers.length > 0) {
    return { code: 'SERVICE_WITH_DRIVERS', detail: 'A service registers release and key mode only, no drivers.' };
  }
  return driversFault(join.drivers);
}

function driversFault(drivers: readonly OfferedDriver[]): Fault<JoinFault> | undefined {
  const seen = new Set<string>();
  for (const driver of drivers) {
    const name = `${driver.name}@${driver.version}`;
    if (driver.name === '' || driver.name.includes(':')) {
      return { code: 'DRIVER_NAME_INVALID', detail: `The driver name "${driver.name}" is empty or has a colon.` };
    }
    if ([driver.version, driver.compatibleFrom ?? driver.version].some(version => valid(version) === null)) {
      return { code: 'DRIVER_VERSION_INVALID', detail: `${name}: version or compatibleFrom is no semantic version.` };
    }
    if (seen.has(name)) return { code: 'DRIVER_DUPLICATE', detail: `${name} is offered twice.` };
    seen.add(name);
  }
  return undefined;
}
