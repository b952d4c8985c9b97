export { bootstrapNode, problemsOfDescription, type NodeDescription } from './bootstrap-node.js';
export {
  expiresWithin,
  issueCertificate,
  newAuthority,
  newServiceAccountKeys,
  type CertificateSubject,
  type IssuedCertificate,
  type Validity,
} from './certificates/issue.js';
export { InvalidDescriptionError, type DescriptionProblem } from './description/description-problem.js';
export type * from './description/machine-description.js';
export {
  bootstrapTokenManifest,
  certificateHash,
  kubeconfig,
  newBootstrapToken,
  type KubernetesAccess,
} from './kubernetes/kubernetes-access.js';
export type * from './kubernetes/kubernetes-description.js';
export { kubernetesUpgrade, type UpgradeScript } from './kubernetes/kubernetes-upgrade.js';
export {
  compareVersions,
  minorOf,
  skewProblems,
  upgradeOrder,
  type NodeUpgrade,
  type SkewProblem,
  type VersionedNode,
} from './kubernetes/version-skew.js';
export type * from './machine/machine-configuration.js';
export type * from './mesos/mesos-description.js';
export { cloudInitDocument } from './render/cloud-init.js';
export { ignitionDocument } from './render/ignition.js';
export { yamlDocument } from './render/yaml.js';
export { JoinTokens, type IssuedToken } from './secrets/join-tokens.js';
export { quote } from './shell/quote.js';
export { script, type ScriptVariables } from './shell/script.js';
export type * from './swarm/swarm-description.js';
