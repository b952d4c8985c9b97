export { Conductor, type ConductorHealth } from './conductor.js';
export { createConductor, NoDriversError, type ConductorOptions, type DriverSource } from './create-conductor.js';
export {
  defaultLimits,
  defaultTimes,
  type ConductorIdentity,
  type ConductorLimits,
  type ConductorTimes,
} from './config/conductor.settings.js';
export type { Counters } from './counters.js';
export { systemClock, type Clock } from './time/clock.js';
