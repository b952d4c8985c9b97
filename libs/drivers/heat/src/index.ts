export { heatDriver } from './heat-driver.js';
export type { SecretValues } from './cloud/sealed-secrets.js';
export type {
  ClusterNetwork,
  EngineDefinition,
  NamedCluster,
  NodeSituation,
  ReachCluster,
  ReachedCluster,
} from './units/engine-definition.js';
export { kubernetesOn } from './engines/kubernetes.js';
export { authorityDays, clientDays, daysOf, startOfValidity } from './engines/validity.js';
