import type { Unit, UnitKind } from '@stave/driver-sdk';

/** What a caller wants to exist. The name (`<kind>-<id>-g<generation>`) is unique within an installation. */
export interface UnitDraft {
  readonly installation: string;
  readonly kind: UnitKind;
  readonly resourceId: string;
  readonly clusterId: string;
  readonly generation: number;
  /** Of a container: the resource id of the node that it runs on. */
  readonly nodeId?: string;
  readonly zone?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** One thing in the fake cloud. */
export interface FakeUnit extends UnitDraft {
  /** `fc-<n>`, never reused. */
  readonly infrastructureId: string;
  readonly name: string;
  readonly state: Unit['state'];
  readonly exitCode?: number;
  /** Of a container: the infrastructure id of its node's unit, with which it goes. */
  readonly hostUnit?: string;
  readonly drained?: boolean;
  readonly reboots: number;
  /** Of a container: how often it was started, and how often the engine did so by itself. */
  readonly starts?: number;
  readonly restarts?: number;
  readonly createdAt: string;
}

/** The name of a unit, without its installation. */
export function unitName(draft: Pick<UnitDraft, 'kind' | 'resourceId' | 'generation'>): string {
  return `${draft.kind}-${draft.resourceId}-g${draft.generation}`;
}
