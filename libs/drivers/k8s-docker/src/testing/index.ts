export { clientOf, loadPodImage, pod, podImage } from './kubernetes-client.fixture.js';
export { ensureNodeImage, kubernetesMissing } from './node-image.fixture.js';
