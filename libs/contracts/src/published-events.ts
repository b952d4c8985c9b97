import type {
  ClusterEvent,
  ClusterTemplateEvent,
  ContainerEvent,
  ContainerProfileEvent,
  DomainEvent,
  EvictionEvent,
  NodeEvent,
  NodeGroupEvent,
  NodeGroupTemplateEvent,
  PlacementEvent,
  ProjectCreated,
  RingEvent,
} from '@stave/domain';
import type { OrphanRemoved as RemovedUnit } from './task.js';

/** The creation was abandoned because another resource took its name. The resource never exists. */
export type CreationAbandoned = DomainEvent<'CreationAbandoned', Record<string, never>>;
/** A unit without a resource was removed from the infrastructure. */
export type OrphanRemoved = DomainEvent<'OrphanRemoved', RemovedUnit>;

/**
 * Every published event by the category of its stream. `npm run event-schemas` generates `event-schemas.json` and the table in
 * docs/reference/events.md from these types.
 */
export interface PublishedEvents {
  readonly cluster: ClusterEvent | CreationAbandoned;
  readonly clusterTemplate: ClusterTemplateEvent | CreationAbandoned;
  readonly nodeGroup: NodeGroupEvent;
  readonly nodeGroupTemplate: NodeGroupTemplateEvent | CreationAbandoned;
  readonly node: NodeEvent;
  readonly containerProfile: ContainerProfileEvent | CreationAbandoned;
  readonly container: ContainerEvent | CreationAbandoned;
  readonly placement: PlacementEvent | EvictionEvent;
  readonly project: ProjectCreated | CreationAbandoned;
  readonly conductorRing: RingEvent;
  readonly orphan: OrphanRemoved;
}
