import type { TaskKind } from '@stave/driver-sdk';
import type { CloudUnit } from '../world/cloud.js';

export interface Resource {
  readonly type: CloudUnit['kind'];
  readonly id: string;
}

export interface Claimed {
  readonly taskId: string;
  readonly attempt: number;
  readonly resource: Resource;
}

export interface SimTask extends Claimed {
  readonly kind: TaskKind;
  readonly generation: number;
}

/** A claim of this session that no hand-out will repeat. */
export interface HeldClaim extends Claimed {
  readonly superseded: boolean;
}

export interface ClaimBody {
  readonly conductor: string;
  readonly session: string;
  readonly epoch: number;
  readonly max: number;
}

export interface ClaimAnswer {
  readonly ended: boolean;
  readonly epoch: number;
  readonly tasks: readonly SimTask[];
  readonly held: readonly HeldClaim[];
}

export const DRIVER = { name: 'fake', version: '1.0.0' };
