export { addressIn, chooseAddress, prefixOf, sameSubnet } from './address.js';
export { addressPools, CLUSTER_SUBNETS, subnetFor } from './address-pools.js';
export { provideNetwork, updateNetwork } from './cluster-network.js';
export { containerStats, DockerEngine, memoryMbOf } from './docker-engine.js';
export { anyValue, EngineClient, withLabels, type Caller, type CallOptions } from './engine-client.js';
export { onSocket, type EngineEndpoint } from './engine-endpoint.js';
export {
  EngineError,
  errorOfResponse,
  hasStatus,
  noResponse,
  undefinedOn,
  undefinedOnFailure,
} from './engine-error.js';
export type * from './engine-types.js';
export { copyImage, findImage, imagePath, type ImageCopy } from './images.js';
export { KeyedLock } from './keyed-lock.js';
export {
  generationOf,
  hostNameOf,
  label,
  labelled,
  nodeLabels,
  ofDriver,
  requireNotSuperseded,
  shortId,
  unitName,
  unitOf,
} from './labels.js';
export { demultiplex, followLogs, LogFrames } from './logs.js';
export { machineIn, machineNodeUnit, requireOneKind, type KnownMachine } from './machines/known-machine.js';
export { MachineCleaner } from './machines/machine-cleaner.js';
export { MachineEndpoints } from './machines/machine-endpoints.js';
export { MachineEngines } from './machines/machine-engines.js';
export { DockerMachines } from './machines/machine-lifecycle.js';
export { MachineNodes, type ExaminedMachine } from './machines/machine-nodes.js';
export { MachineSecrets } from './machines/machine-secrets.js';
export { ClusterNetworks } from './network.js';
export { pollUntil, type PollOptions } from './poll-until.js';
export { swarmOperations, swarmViewOf, type SwarmView } from './swarm-operations.js';
