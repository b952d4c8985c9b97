import type { ContainerHealth } from '@stave/driver-sdk';

/**
 * The state of a unit on the infrastructure. `missing`: it does not exist. `silent`: it runs, but its engine has not answered for long.
 * A container that its engine keeps restarting counts as `running`.
 */
type ObservedUnitState = 'running' | 'stopped' | 'failed' | 'missing' | 'silent';

export interface UnitObservation {
  readonly state: ObservedUnitState;
  /** The exit code of the last run of a container. */
  readonly exitCode?: number;
  /** How often the engine restarted a container on its own. */
  readonly restarts?: number;
  /** The health of a running container that has a health check. */
  readonly health?: ObservedHealth;
}

/** What the checks of a container have shown; `unknown` where its driver does not say. */
export type ObservedHealth = ContainerHealth | 'unknown';

/**
 * Why the absence of a unit may not be its own loss. `mass-loss`: too many units of its engine or cloud disappeared in one list;
 * `identity-changed`: the engine or cloud is another one than that on which the unit was built.
 */
export type SuspectedLoss = 'mass-loss' | 'identity-changed';

/** The code at the beginning of the status reasons of resources whose loss is suspected, or that contain such. */
export const MASS_LOSS_SUSPECTED = 'mass-loss-suspected';

/** The status reasons of nodes and containers whose loss is suspected. */
export const suspicions: Readonly<Record<SuspectedLoss, string>> = {
  'mass-loss': `${MASS_LOSS_SUSPECTED}: its unit disappeared together with many others of its engine or cloud`,
  'identity-changed': `${MASS_LOSS_SUSPECTED}: its engine or cloud is another one than that on which it was built`,
};

/** An observation of a unit by a conductor. `generation` is the generation of the resource when the observation began. */
export interface Observation extends UnitObservation {
  readonly generation: number;
  /** Present for a missing unit that must not be built again before somebody has looked. */
  readonly suspected?: SuspectedLoss;
}
