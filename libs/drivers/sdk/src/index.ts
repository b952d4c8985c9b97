export type * from './driver.js';
export { clusterActions } from './contract/manifest.js';
export { operationDefaults } from './contract/operations.js';
export {
  DriverError,
  failureCodes,
  isFailureCode,
  type DriverErrorOptions,
  type FailureClass,
  type FailureCode,
} from './driver-error.js';
export { dispatchCall, dispatchTask, isTaskKind } from './actions/dispatch.js';
export type * from './actions/task-kinds.js';
export { canOperate } from './manifest/compatibility.js';
export { containerProblems } from './manifest/container-restrictions.js';
export { driverNameIn } from './manifest/driver-name.js';
export { loadManifest } from './manifest/load-manifest.js';
export { missingOperations, operationPartProblems, typedParameters } from './manifest/operation-schemas.js';
export { pluginsOf, scopeOf, type Plugins } from './manifest/plugins.js';
export { validateOptions, type OptionProblem } from './manifest/option-validation.js';
export { projectKeys } from './project-keys.js';
export { driverNames } from './registry/driver-names.js';
export { loadDrivers, type LoadedDriver } from './registry/load-drivers.js';
