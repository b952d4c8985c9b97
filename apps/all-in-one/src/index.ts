export { readSettings, type AllInOneSettings } from './all-in-one.config.js';
export { startAllInOne, type AllInOne } from './start-all-in-one.js';
