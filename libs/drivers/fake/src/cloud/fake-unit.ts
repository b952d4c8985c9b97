import { DriverError, type Unit } from '@stave/driver-sdk';
import type { ActRequest } from './fake-cloud.port.js';

/** The unit that a caller requests. Its name (`<kind>-<id>-g<generation>`) is unique within an installation. */
export interface UnitDraft extends Pick<Unit, 'kind' | 'resourceId' | 'clusterId' | 'generation'> {
  readonly installation: string;
  /** For a container, and for a network or volume of node scope: the resource id of its node. */
  readonly nodeId?: string;
  readonly zone?: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface FakeUnit extends UnitDraft, Pick<Unit, 'state' | 'exitCode' | 'restarts'> {
  /** `fc-<n>`, never reused. */
  readonly infrastructureId: string;
  readonly name: string;
  /** The infrastructure id of the unit of its node, with which it is removed. */
  readonly hostUnit?: string | undefined;
  /** For a container on a network with a subnet. */
  readonly address?: string;
  /** For a container: its addresses, its ports and what it uses, each as a text that names it. */
  readonly claims?: readonly string[];
  readonly drained?: boolean;
  readonly reboots: number;
  /** For a container: the number of starts on request; `restarts` counts those by the engine. */
  readonly starts?: number;
  readonly createdAt: string;
}

/** Returns a new unit in state `creating`. `host` is the unit of its node. */
export function newUnit(
  draft: UnitDraft,
  identity: Pick<FakeUnit, 'infrastructureId' | 'createdAt'>,
  host?: FakeUnit,
): FakeUnit {
  const place = draft.kind !== 'container' && draft.nodeId !== undefined ? `-${draft.nodeId}` : '';
  const name = `${draft.kind}-${draft.resourceId}${place}-g${draft.generation}`;
  return { ...draft, ...identity, name, state: 'creating', hostUnit: host?.infrastructureId, reboots: 0 };
}

/** Returns the unit after an action, or the error `conflict` when the unit is not built. */
export function actOn(unit: FakeUnit, request: ActRequest): FakeUnit | DriverError {
  if (unit.state === 'creating' || unit.state === 'failed')
    return new DriverError('conflict', `${unit.name} is ${unit.state}: only a built unit can be changed`);
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
  return { ...unit, state: 'running', starts: (unit.starts ?? 0) + 1, restarts: 0, exitCode: undefined };
}
