import type { NetworkSpec } from './networks.js';
import type { VolumeSpec } from './volumes.js';

/**
 * The networks and volumes of node scope that a container uses. `containers.create` creates those that its node lacks before the container,
 * by the rules of their lifecycles; those of cluster scope exist already.
 */
export interface NodeAttachments {
  readonly networks: readonly NetworkSpec[];
  readonly volumes: readonly VolumeSpec[];
}

/** A network or volume of node scope that leaves the node with its last container. */
export interface LeavingAttachment {
  readonly kind: 'network' | 'volume';
  readonly id: string;
  readonly generation: number;
}
