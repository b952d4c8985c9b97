export { dockerMissing, hostSocket } from './docker-missing.js';
export { loseCluster } from './lose-cluster.fixture.js';
export { TestMachines, type Reach, type TestMachine } from './test-machines.fixture.js';
