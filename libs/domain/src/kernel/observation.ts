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
}

/** An observation of a unit by a conductor. `generation` is the generation of the resource when the observation began. */
export interface Observation extends UnitObservation {
  readonly generation: number;
}
