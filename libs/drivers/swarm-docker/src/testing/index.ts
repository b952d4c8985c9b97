export { ensureBusyboxImage } from './busybox-image.js';
export { dockerMissing, hostSocket } from './docker-missing.js';
export { TestPlugin } from './plugin.fixture.js';
