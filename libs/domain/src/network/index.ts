export * from './network-decider.js';
export type { NetworkDeclaration, NetworkEvent } from './network-events.js';
export { networkStream, type NetworkState, type NetworkStatus, type NetworkTaskKind } from './network-state.js';
export { isHostAddress, subnetOf, subnetPool, type Subnet } from './subnet.js';
