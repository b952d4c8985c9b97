import type { KeyMode } from './ring-key.js';

/** The stream of everything that changes who is alive; its last revision is the epoch. */
export const RING_STREAM = 'conductorRing';

/** A driver at a version, as a conductor offers it. */
export interface OfferedDriver {
  readonly name: string;
  readonly version: string;
  /** The oldest recorded version it can operate; default: its own minor line. */
  readonly compatibleFrom?: string;
  /** The content of driver.manifest.json. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** A member registered: a conductor with its drivers, or a service (release and key mode only). */
export interface ConductorJoined {
  readonly conductor: string;
  /** New at every start of the process. */
  readonly session: string;
  readonly group: string;
  readonly drivers: readonly OfferedDriver[];
  readonly weight: number;
  readonly release: string;
  readonly keyMode: KeyMode;
  readonly kind: 'conductor' | 'service';
}

/** The member stops retrying its slots and takes nothing new; what it has claimed it may finish until the deadline (ISO 8601). */
export interface ConductorDraining {
  readonly conductor: string;
  readonly session: string;
  readonly deadline: string;
}

/** The session ended without saying so. `replacedBy`: the session of the same conductor that joins in the same append. */
export interface ConductorExpired {
  readonly conductor: string;
  readonly session: string;
  readonly replacedBy?: string;
}

/** The member said good-bye. */
export interface ConductorLeft {
  readonly conductor: string;
  readonly session: string;
}

/** From here on ring keys are with the group (`group`) or the driver alone (`pinned`). */
export interface RingKeyModeChanged {
  readonly mode: KeyMode;
}

export type RingEvent =
  | { readonly type: 'ConductorJoined'; readonly data: ConductorJoined }
  | { readonly type: 'ConductorDraining'; readonly data: ConductorDraining }
  | { readonly type: 'ConductorExpired'; readonly data: ConductorExpired }
  | { readonly type: 'ConductorLeft'; readonly data: ConductorLeft }
  | { readonly type: 'RingKeyModeChanged'; readonly data: RingKeyModeChanged };
