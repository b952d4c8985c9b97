import type { Actor } from '@stave/contracts';

/** A role in a project. */
export interface Grant {
  readonly id: string;
  readonly name: string;
  readonly role: Actor['role'];
}

/** A role in a project that may be disabled. */
export interface ProjectGrant extends Grant {
  readonly isDisabled: boolean;
}

/** What a request was admitted with. */
export interface Credential {
  readonly actor: Actor;
  /** Which secret of the key it is: how often the key had been rotated when the secret was made; 0 for tokens. */
  readonly rotation: number;
  /** When the key or the token expires (ISO 8601); null: never. */
  readonly expiresAt: string | null;
  /** Until when this secret is valid, in milliseconds since 1970; Infinity: for ever. */
  readonly validUntilMs: number;
  /** The project of the request is disabled. */
  readonly isDisabled: boolean;
  /** A read with this `minPosition` shows the project of the key, whoever answers it. */
  readonly position: number;
  /** The projects of somebody who has signed in and has chosen none. */
  readonly grants?: readonly ProjectGrant[];
}
