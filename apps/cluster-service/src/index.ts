export { newKey } from './access/access-keys.js';
export { administratorKey } from './access/administrator-key.js';
export * from './create-cluster-service.js';
