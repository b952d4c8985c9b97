export {
  ApiError,
  KubernetesApi,
  undefinedOnStatus,
  type ApiAccess,
  type ApiOptions,
  type Caller,
  type KubernetesUser,
} from './kubernetes-api.js';
export { documents, memberAccess, memberGroup, memberUser, type OwnManifest } from './member-access.js';
export { kubernetesOperations, type ApiOf } from './operations.js';
export { nodeLabel } from './operation-views.js';
export { applyObjects, type AppliedObject, type WantedObject } from './server-side-apply.js';
