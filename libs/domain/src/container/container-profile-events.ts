import type { DomainEvent } from '../kernel/decider.js';
import type { ContainerContents, ContainerHosts } from './container-spec.js';

export interface ContainerProfileSpec extends ContainerHosts {
  readonly description?: string;
  readonly contents: ContainerContents;
}

/** A way to start containers has a name. */
export type ContainerProfileCreated = DomainEvent<
  'ContainerProfileCreated',
  { readonly id: string; readonly name: string; readonly projectId: string; readonly spec: ContainerProfileSpec }
>;
/** It is another from now on; containers made from it before keep their copy. */
export type ContainerProfileUpdated = DomainEvent<'ContainerProfileUpdated', { readonly spec: ContainerProfileSpec }>;
/** It is gone; containers made from it stay. */
export type ContainerProfileDeleted = DomainEvent<'ContainerProfileDeleted', Record<string, never>>;

export type ContainerProfileEvent = ContainerProfileCreated | ContainerProfileUpdated | ContainerProfileDeleted;
