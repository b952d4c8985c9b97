export * from './config/index.js';
export * from './document-store/index.js';
export * from './event-store/index.js';
export * from './messaging/index.js';
export * from './observability/logger.js';
export * from './publication/index.js';
export * from './secrets/index.js';
