export { makeFakeVersion } from './make-fake-version.js';
