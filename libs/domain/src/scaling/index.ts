export * from './scaling-arithmetic.js';
