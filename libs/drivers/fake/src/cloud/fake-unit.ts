import type { Unit, UnitKind } from '@stave/driver-sdk';

/** The unit that a caller requests. Its name (`<kind>-<id>-g<generation>`) is unique within an installation. */
export interface UnitDraft {
  readonly installation: string;
  readonly kind: UnitKind;
  readonly resourceId: string;
  readonly clusterId: string;
  readonly generation: number;
  /** For a container: the resource id of its node. */
  readonly nodeId?: string;
  readonly zone?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A unit of the fake cloud. */
export interface FakeUnit extends UnitDraft {
  /** `fc-<n>`, never reused. */
  readonly infrastructureId: string;
  readonly name: string;
  readonly state: Unit['state'];
  readonly exitCode?: number;
  /** For a container: the infrastructure id of its node's unit, with which it is removed. */
  readonly hostUnit?: string;
  readonly drained?: boolean;
  readonly reboots: number;
  /** For a container: the number of starts, and of restarts by the engine. */
  readonly starts?: number;
  readonly restarts?: number;
  readonly createdAt: string;
}

/** Returns the name of a unit. */
export function unitName(draft: Pick<UnitDraft, 'kind' | 'resourceId' | 'generation'>): string {
  return `${draft.kind}-${draft.resourceId}-g${draft.generation}`;
}
