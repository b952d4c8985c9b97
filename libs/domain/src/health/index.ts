export type { Observation, UnitObservation } from '../kernel/observation.js';
