export { BadEnvironmentError, readEnvironment, type Environment } from './read-environment.js';
export {
  serviceConfig,
  serviceConfigOf,
  ServiceEnvironment,
  type PortsSettings,
  type ServiceConfig,
} from './service.environment.js';
export { openPorts, type OpenedPorts } from './open-ports.js';
export { serveHealth, type HealthServer } from './serve-health.js';
export { runService, type ProcessHandle } from './run-service.js';
