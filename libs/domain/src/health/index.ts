export type { Observation, UnitObservation } from './observation.js';
