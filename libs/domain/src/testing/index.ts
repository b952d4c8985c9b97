export { doneOf } from '../task/task-outcomes.fixture.js';
