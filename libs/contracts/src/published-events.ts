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

/** Its name was needed by another before it came to be: it never will. */
export type CreationAbandoned = DomainEvent<'CreationAbandoned', Record<string, never>>;
/** A unit that no resource knows was removed from the infrastructure. */
export type OrphanRemoved = DomainEvent<'OrphanRemoved', RemovedUnit>;

/**
 * Every event that outsiders are told, by the category of its stream. `event-schemas.json` and the table in docs/reference/events.md are
 * made from these types (`npm run event-schemas`).
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
