export type { Answer } from './answer.js';
export type { components, operations, paths } from './api.js';
export { StaveClient } from './client.js';
export {
  ConnectionError,
  OperationError,
  ProblemError,
  StaveError,
  WaitTimeoutError,
  type Operation,
  type Problem,
} from './errors.js';
export type { EventOptions, StaveEvent } from './events.js';
export type { Plan, PlanDocument } from './plan.js';
export type { RetryOptions } from './retry.js';
export type { Token, TransportOptions as ClientOptions } from './transport.js';
export type { CallOptions, ChangeOptions, ItemOf, ListPath, Method, OptionsOf, PageOf, PathOf } from './typed-paths.js';
export type { WaitOptions } from './wait.js';
