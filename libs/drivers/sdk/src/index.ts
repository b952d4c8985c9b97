export * from './capabilities.js';
export * from './driver.js';
export * from './driver-error.js';
