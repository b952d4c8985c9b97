export { createContainerScheduler } from './app.module.js';
