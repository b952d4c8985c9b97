export * from './messaging.port.js';
export * from './memory/memory-messaging.js';
export { MemoryBroker, type MemoryBrokerOptions } from './memory/memory-broker.js';
export { connectNats } from './remote.js';
export type { NatsMessaging } from './nats/nats-messaging.js';
export type { NatsOptions } from './nats/nats-connection.js';
