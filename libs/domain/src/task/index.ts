export { decideClaim, decideReport, type ReportCommand, type TaskOutcome } from './decide-task.js';
export { defaultRetryPolicy, retryDelayMs, type RetryPolicy } from './retry-policy.js';
export { takeoverOfTask, takeoverOfWork, type ClaimedTaskProgress, type TakeoverRow } from './takeover-table.js';
export type { TaskEvent } from './task-events.js';
export { evolveWork, noWork, operationOfWork, resetRetries, wantTask, type Claim, type Work } from './task-state.js';
