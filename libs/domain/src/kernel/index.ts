export * from './assert-never.js';
export * from './decider.js';
export * from './listing.js';
export * from './merge-labels.js';
export * from './merge-patch.js';
export * from './operation.js';
export * from './refusal.js';
export * from './stable-id.js';
