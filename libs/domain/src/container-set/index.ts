export * from './autoscale-container-set.js';
export * from './backtest.js';
export type { BacktestFigures } from './backtest-figures.js';
export * from './container-set-decider.js';
export type {
  ContainerSetDeclaration,
  ContainerSetEvent,
  DecidingLoad,
  MetricUse,
  DisruptionCause,
  ResizeCause,
  SetMemberDeclaration,
} from './container-set-events.js';
export * from './container-set-spec.js';
export {
  boundsOf,
  revisionOf,
  rolloutDone,
  setCounts,
  setStatusReason,
  type ContainerSetState,
  type ContainerSetStatus,
  type SetMember,
  isOutdatedMember,
} from './container-set-state.js';
export * from './evolve-container-set.js';
export * from './member-declaration.js';
export * from './reconcile-container-set.js';
export * from './set-actions.js';
export { setDeciderOf, type SetDecider } from './set-deciders.js';
export type { SetInput } from './set-facts.js';
export * from './set-member-view.js';
export * from './set-policies.js';
export * from './rebalance.js';
export type { SetScalingChange, SetScalingTurns } from './set-scaling-turns.js';
export { endMemberRelease } from './set-release.js';
export * from './why-not-scaled.js';
