export * from './create-nodegroup-service.js';
