export { newSecret } from './access/secrets.js';
export { administratorKey, formerKeyHashes } from './access/administrator-key.js';
export { createClusterService, type ClusterServiceOptions } from './app.module.js';
