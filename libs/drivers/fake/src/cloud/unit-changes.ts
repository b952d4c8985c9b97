import { DriverError } from '@stave/driver-sdk';
import type { ActRequest } from './fake-cloud.port.js';
import { unitName, type FakeUnit, type UnitDraft } from './fake-unit.js';

/** Returns a new unit in state `creating`. `host` is the unit of a container's node. */
export function newUnit(
  draft: UnitDraft,
  identity: Pick<FakeUnit, 'infrastructureId' | 'createdAt'>,
  host?: FakeUnit,
): FakeUnit {
  return {
    ...draft,
    ...identity,
    name: unitName(draft),
    state: 'creating',
    ...(host && { hostUnit: host.infrastructureId }),
    reboots: 0,
  };
}

/** Returns the unit after an action, or the error `conflict` when the unit is not built. */
export function actOn(unit: FakeUnit, request: ActRequest): FakeUnit | DriverError {
  if (unit.state === 'creating' || unit.state === 'failed') {
    return new DriverError('conflict', `${unit.name} is ${unit.state}: only a built unit can be changed`);
  }
  switch (request.action) {
    case 'start':
      return running(unit);
    case 'stop':
      return { ...unit, state: 'stopped', exitCode: 0 };
    case 'restart':
    case 'softReboot':
    case 'hardReboot':
      return { ...running(unit), reboots: unit.reboots + 1, drained: false };
    case 'drain':
      return { ...unit, drained: true };
    case 'undrain':
      return { ...unit, drained: false };
    case 'update':
      return { ...unit, attributes: { ...unit.attributes, ...request.attributes } };
  }
}

/** Returns the unit in state `running`, after its build or a start. */
export function running(unit: FakeUnit): FakeUnit {
  const done: FakeUnit = { ...unit, state: 'running', starts: (unit.starts ?? 0) + 1, restarts: 0 };
  const { exitCode: _ended, ...again } = done;
  return again;
}
