export { clientOf, pod } from './kubernetes-client.fixture.js';
export { ensureNodeImage, kubernetesMissing } from './node-image.fixture.js';
