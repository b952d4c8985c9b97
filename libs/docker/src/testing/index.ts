export { dockerMissing, hostSocket } from './docker-missing.js';
export { TestMachines, type Reach, type TestMachine } from './test-machines.fixture.js';
