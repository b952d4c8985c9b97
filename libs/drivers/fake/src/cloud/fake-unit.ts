import { DriverError, type Unit } from '@stave/driver-sdk';
import type { ActRequest } from './fake-cloud.port.js';
import { withLoadSince } from './simulated-load.js';

/** The unit that a caller requests. Its name (`<kind>-<id>-g<generation>`) is unique within an installation. */
export interface UnitDraft extends Pick<Unit, 'kind' | 'resourceId' | 'clusterId' | 'generation'> {
  readonly installation: string;
  /** For a container, and for a network or volume of node scope: the resource id of its node. */
  readonly nodeId?: string;
  readonly zone?: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** For a node on a machine: the name of its engine. */
  readonly engine?: string | undefined;
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
  /** The machine of the node does not answer any more: nobody sees the unit, and nobody can change it. */
  readonly lost?: true;
  readonly reboots: number;
  /** For a container: the number of starts on request; `restarts` counts those by the engine. */
  readonly starts?: number;
  readonly createdAt: string;
  /** The last start, on request or by the engine. */
  readonly startedAt?: string;
}

/** Returns a new unit in state `creating`. `host` is the unit of its node. */
export function newUnit(
  draft: UnitDraft,
  identity: Pick<FakeUnit, 'infrastructureId' | 'createdAt'>,
  host?: FakeUnit,
): FakeUnit {
  const place = draft.kind !== 'container' && draft.nodeId !== undefined ? `-${draft.nodeId}` : '';
  const name = `${draft.kind}-${draft.resourceId}${place}-g${draft.generation}`;
  const attributes = withLoadSince(draft.attributes, undefined, Date.parse(identity.createdAt));
  return { ...draft, ...identity, attributes, name, state: 'creating', hostUnit: host?.infrastructureId, reboots: 0 };
}

/** Returns the unit after an action, or the error `conflict` when the unit is not built. */
export function actOn(unit: FakeUnit, request: ActRequest, now: number): FakeUnit | DriverError {
  if (unit.state === 'creating' || unit.state === 'failed')
    return new DriverError('conflict', `${unit.name} is ${unit.state}: only a built unit can be changed`);
  switch (request.action) {
    case 'start':
      return running(unit, now);
    case 'stop':
      return { ...unit, state: 'stopped', exitCode: ignoresStop(unit) ? KILLED : 0 };
    case 'restart':
    case 'softReboot':
    case 'hardReboot':
      return { ...running(unit, now), reboots: unit.reboots + 1, drained: false };
    case 'drain':
      return { ...unit, drained: true };
    case 'undrain':
      return { ...unit, drained: false };
    case 'update':
      return {
        ...unit,
        attributes: withLoadSince({ ...unit.attributes, ...request.attributes }, unit.attributes, now),
      };
  }
}

/** Returns the unit in state `running`, after its build or a start. */
export function running(unit: FakeUnit, now: number): FakeUnit {
  const starts = (unit.starts ?? 0) + 1;
  return {
    ...unit,
    state: 'running',
    starts,
    restarts: 0,
    exitCode: undefined,
    startedAt: new Date(now).toISOString(),
  };
}

/** The exit code of a process that was killed. */
export const KILLED = 137;

/** Returns command and arguments of a container. */
export function wordsOf({ attributes }: Pick<FakeUnit, 'attributes'>): string[] {
  const { command, args } = attributes;
  return [command, args].flatMap(words => (Array.isArray(words) ? words.map(String) : []));
}

/** Whether the container ends only when it is killed (command `ignore-stop`). */
const ignoresStop = (unit: FakeUnit): boolean => unit.kind === 'container' && wordsOf(unit)[0] === 'ignore-stop';

/** Returns the milliseconds that a running container takes to end. */
export function stopMs(unit: FakeUnit): number {
  if (unit.state !== 'running' || !ignoresStop(unit)) return 0;
  const { stopGraceSeconds } = unit.attributes;
  return (typeof stopGraceSeconds === 'number' ? stopGraceSeconds : 10) * 1000;
}
