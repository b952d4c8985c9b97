import type * as domain from '@stave/domain';
import type { OrphanRemoved as RemovedUnit } from './task.js';

/** The creation was abandoned because another resource took its name. The resource never exists. */
export type CreationAbandoned = domain.DomainEvent<'CreationAbandoned', Record<string, never>>;
/** Nothing changed: a change that other streams were prepared for, such as a quota, did not come in time, and cannot come any more. */
export type ChangeAbandoned = domain.DomainEvent<'ChangeAbandoned', Record<string, never>>;
/** A unit without a resource was removed from the infrastructure. */
export type OrphanRemoved = domain.DomainEvent<'OrphanRemoved', RemovedUnit>;

/**
 * Every published event by the category of its stream. `npm run event-schemas` generates `event-schemas.json` and the table in
 * docs/reference/events.md from these types.
 */
export interface PublishedEvents {
  readonly cluster: domain.ClusterEvent | CreationAbandoned;
  readonly clusterTemplate: domain.ClusterTemplateEvent | CreationAbandoned;
  readonly nodeGroup: domain.NodeGroupEvent | CreationAbandoned | ChangeAbandoned;
  readonly nodeGroupTemplate: domain.NodeGroupTemplateEvent | CreationAbandoned;
  readonly node: domain.NodeEvent | ChangeAbandoned;
  readonly machine: domain.MachineEvent | CreationAbandoned;
  readonly containerProfile: domain.ContainerProfileEvent | CreationAbandoned;
  readonly container: domain.ContainerEvent | CreationAbandoned;
  readonly containerSet: domain.ContainerSetEvent | CreationAbandoned | ChangeAbandoned;
  readonly network: domain.NetworkEvent | CreationAbandoned;
  readonly volume: domain.VolumeEvent | CreationAbandoned;
  readonly placement: domain.PlacementEvent | domain.EvictionEvent | domain.ProposalEvent;
  readonly policy: domain.PolicyEvent | CreationAbandoned;
  readonly policyBindings: domain.PolicyBindingsEvent;
  readonly project: domain.ProjectEvent | CreationAbandoned;
  readonly conductorRing: domain.RingEvent;
  readonly orphan: OrphanRemoved;
}
