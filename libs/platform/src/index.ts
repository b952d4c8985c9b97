export * from './event-store/event-store.port.js';
export * from './document-store/document-store.port.js';
export * from './messaging/messaging.port.js';
