export { BadEnvironmentError, readEnvironment, type Environment } from './read-environment.js';
export { serveHealth, type HealthServer } from './serve-health.js';
