export { newKey } from './access/access-keys.js';
export * from './create-cluster-service.js';
