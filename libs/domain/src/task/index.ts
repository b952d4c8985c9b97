export {
  decideClaim,
  decideReport,
  defaultRetryPolicy,
  retryDelayMs,
  type ReportCommand,
  type RetryPolicy,
  type TaskOutcome,
} from './decide-task.js';
export { takeoverOfTask, takeoverOfWork, type ClaimedTaskProgress, type TakeoverRow } from './takeover-table.js';
export {
  evolveWork,
  noWork,
  operationOfWork,
  resetRetries,
  wantTask,
  type Claim,
  type TaskEvent,
  type Work,
} from './task-state.js';
