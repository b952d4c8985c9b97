export * from './servers/index.js';
export * from './stave-client.js';
