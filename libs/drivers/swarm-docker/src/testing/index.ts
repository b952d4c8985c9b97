export { ensureBusyboxImage } from './busybox-image.js';
export { TestPlugin } from './plugin.fixture.js';
