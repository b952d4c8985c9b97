export * from '../read-models/lists.contract.js';
export * from '../read-models/rebuild.contract.js';
