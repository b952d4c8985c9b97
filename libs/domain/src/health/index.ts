export * from './observation.js';
