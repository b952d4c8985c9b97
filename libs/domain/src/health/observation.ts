/**
 * How a unit was seen on the infrastructure: `missing`, it is not there; `silent`, it runs and its engine has not answered for long.
 * A container that its engine keeps restarting counts as `running`.
 */
type ObservedUnitState = 'running' | 'stopped' | 'failed' | 'missing' | 'silent';

export interface UnitObservation {
  readonly state: ObservedUnitState;
  /** Of a container's last end. */
  readonly exitCode?: number;
  /** How often the engine restarted a container by itself. */
  readonly restarts?: number;
}

/** What a conductor saw of a resource that, by the log, stood at this generation before it looked. */
export interface Observation extends UnitObservation {
  readonly generation: number;
}
