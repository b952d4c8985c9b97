export * from './messaging.port.js';
export * from './messaging.contract.js';
export * from './memory/memory-messaging.js';
export { MemoryBroker, type MemoryBrokerOptions } from './memory/memory-broker.js';
