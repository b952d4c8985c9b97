export { doneOf } from '../task/task-outcomes.fixture.js';
export { takeoverOfTask, takeoverOfWork, type ClaimedTaskProgress, type TakeoverRow } from './takeover-table.js';
