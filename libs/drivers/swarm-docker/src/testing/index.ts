export { ensureBusyboxImage } from './busybox-image.js';
