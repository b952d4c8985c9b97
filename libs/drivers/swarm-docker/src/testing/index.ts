export { ensureBusyboxImage } from './busybox-image.js';
export { dockerMissing, hostSocket } from './docker-missing.js';
