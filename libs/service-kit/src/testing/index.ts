export * from '../read-models/lists.contract.js';
export * from '../resources/abandoned-groups.contract.js';
export * from '../read-models/rebuild.contract.js';
export * from '../read-models/replaced-log.contract.js';
export * from '../time-marks/time-marks.contract.js';
export * from './fleet-events.js';
export * from './service-harness.js';
