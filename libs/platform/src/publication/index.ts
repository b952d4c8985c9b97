export * from './cloud-event.js';
export * from './event-names.js';
export * from './event-publisher.js';
export * from './event-source.js';
export * from './jetstream.publication-log.js';
export * from './publication-log.port.js';
export * from './published-categories.js';
export * from './published-message.js';
