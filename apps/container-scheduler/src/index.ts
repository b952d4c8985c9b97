export * from './create-container-scheduler.js';
