export { contentsDifference } from './contents-difference.js';
export * from './machine-decider.js';
export type { MachineClaim, MachineDeclaration, MachineEvent } from './machine-events.js';
export { schemeOf, suitableMachines, type MachineNeed } from './machine-selection.js';
export {
  machineForDriver,
  machineStream,
  type MachineState,
  type MachineStatus,
  type MachineTaskKind,
} from './machine-state.js';
export { reportMachineTask } from './report-machine-task.js';
