export { descriptionOf } from '../node-description.js';
export { NodeMachine } from '../node-machine.js';
export { newAuthorities, newToken } from '../node-membership.js';
export { nodeContainerRequest } from '../template-definition.js';
export { clientOf, loadPodImage, pod, podImage } from './kubernetes-client.fixture.js';
export { ensureNodeImage, kubernetesMissing } from './node-image.fixture.js';
