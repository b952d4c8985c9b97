export * from './known-secrets.js';
