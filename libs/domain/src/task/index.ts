export {
  decideClaim,
  decideReport,
  decideRecoveredLog,
  defaultRetryPolicy,
  isSuspect,
  reportOfLostTask,
  retryDelayMs,
  type RecoveredLog,
  type ReportCommand,
  type RetryPolicy,
  type TaskOutcome,
} from './decide-task.js';
export {
  failureCodeOf,
  evolveWork,
  noWork,
  operationOfWork,
  resetRetries,
  wantTask,
  type TaskEvent,
  type Work,
} from './task-state.js';
export { mayRunMore, type ProjectRoom } from './project-share.js';
