import type { DomainEvent } from '../kernel/decider.js';
import type { ContainerContents, PlacementTarget } from './container-spec.js';

export interface ContainerProfileSpec extends PlacementTarget {
  readonly description?: string;
  readonly contents: ContainerContents;
}

/** A container profile was created. */
export type ContainerProfileCreated = DomainEvent<
  'ContainerProfileCreated',
  { readonly id: string; readonly name: string; readonly projectId: string; readonly spec: ContainerProfileSpec }
>;
/** The container profile changed. Containers that were created from it before keep their copy. */
export type ContainerProfileUpdated = DomainEvent<'ContainerProfileUpdated', { readonly spec: ContainerProfileSpec }>;
/** The container profile was deleted. Containers that were created from it stay. */
export type ContainerProfileDeleted = DomainEvent<'ContainerProfileDeleted', Record<string, never>>;

export type ContainerProfileEvent = ContainerProfileCreated | ContainerProfileUpdated | ContainerProfileDeleted;
