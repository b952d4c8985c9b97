export * from './cluster-groups.js';
