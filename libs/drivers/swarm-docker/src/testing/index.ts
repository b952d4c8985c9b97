export { ensureBusyboxImage } from './busybox-image.js';
export { dockerMissing, hostSocket } from './docker-missing.js';
export { TestMachines, type Reach, type TestMachine } from './test-machines.fixture.js';
export { TestPlugin } from './plugin.fixture.js';
