export { AttemptLogFile } from './work/attempt-log-file.js';
export type { Conductor } from './conductor.js';
export { createConductor } from './create-conductor.js';
export type { ConductorIdentity, ConductorTimes } from './config/conductor.settings.js';
