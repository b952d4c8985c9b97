export * from './assert-never.js';
export * from './decider.js';
export * from './operation.js';
export * from './refusal.js';
export * from './stable-id.js';
