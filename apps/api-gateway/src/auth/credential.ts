import type { Actor } from '@stave/contracts';

/** What a request was admitted with. */
export interface Credential {
  readonly actor: Actor;
  /** Which secret of the key it is: how often the key had been rotated when the secret was made. */
  readonly rotation: number;
  /** When the key expires (ISO 8601); null: never. */
  readonly expiresAt: string | null;
  /** Until when this secret is valid, in milliseconds since 1970; Infinity: for ever. */
  readonly validUntilMs: number;
  /** The project of the key is disabled. */
  readonly isDisabled: boolean;
  /** A read with this `minPosition` shows the project of the key, whoever answers it. */
  readonly position: number;
}
