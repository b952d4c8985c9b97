export { AttemptLogFile } from './work/attempt-log-file.js';
export type { Conductor } from './conductor.js';
export { createConductor } from './create-conductor.js';
export { defaultTimes, type ConductorIdentity, type ConductorTimes } from './config/conductor.settings.js';
