import { Inject, Injectable } from '@nestjs/common';
import type { ResourceName } from '@stave/contracts';
import type { ResourceStream, StreamDefinition } from '@stave/domain';
import { idOf, type EventStore, type RecordedEvent } from '@stave/platform';
import { EVENT_STORE } from '../composition/ports.js';
import type { EventFeed } from '../history/history-context.js';
import { foldedMembers, type Folded } from '../snapshots/snapshot-fields.js';
import { retention, type Retention } from './ended-streams.js';
import { ResourceModel } from './resource-model.js';

/** Called for every resource whose document, work or reconciliation an event may change. */
export type ResourceChanged = (resource: ResourceName, id: string, event: RecordedEvent) => void;

/**
 * What a service folds from the streams that a resource type depends on. One instance follows the feed of the service, others are built
 * for a past state and fed with the events up to then; both show the same for the same events.
 */
export interface Projection extends Folded {
  follow(feed: EventFeed, changed: ResourceChanged): void;
  /** Returns which of its streams leave memory when they have ended. */
  retentions(): readonly Retention[];
}

/** A class whose instances start empty and read nothing but the given store. */
export type ProjectionClass<P extends Projection> = new (store: EventStore) => P;

/** The models of a projection, by the names of their stream definitions. */
type Models<D> = {
  readonly [K in keyof D]: D[K] extends ResourceStream<infer S>
    ? ResourceModel<S>
    : D[K] extends StreamDefinition<infer S>
      ? ResourceModel<S, never>
      : never;
};

/**
 * Returns a base class of projections with a model for each stream. The models and all other Maps, Sets and folded objects among the members
 * of a subclass are part of snapshots, in the order of their declaration, except those that it names in `unfolded`.
 */
export function modelsOf<D extends Readonly<Record<string, { readonly category: string }>>>(
  streams: D,
): new (store: EventStore) => Models<D> & Folded {
  @Injectable()
  class Base implements Folded {
    constructor(@Inject(EVENT_STORE) store: EventStore) {
      for (const [name, stream] of Object.entries(streams))
        Object.assign(this, { [name]: new ResourceModel(stream as StreamDefinition<unknown>, store) });
    }

    declare readonly unfolded?: readonly string[];

    get folded(): Folded['folded'] {
      return foldedMembers(this, this.unfolded);
    }
  }
  return Base as unknown as new (store: EventStore) => Models<D> & Folded;
}

/** The projection of a resource type that depends on nothing but its own stream. */
export interface OwnStreamProjection<S> extends Projection {
  readonly model: ResourceModel<S>;
}

/** Returns a base class of projections that follow one stream category. */
export function ownStreamProjection<S>(
  resource: ResourceName,
  stream: ResourceStream<S>,
): ProjectionClass<OwnStreamProjection<S>> {
  return class extends modelsOf({ model: stream }) implements OwnStreamProjection<S> {
    declare readonly model: ResourceModel<S>;

    follow(feed: EventFeed, changed: ResourceChanged): void {
      feed.on(stream.category, event => {
        this.model.apply(event);
        changed(resource, idOf(event), event);
      });
    }

    retentions(): readonly Retention[] {
      return [retention(this.model)];
    }
  };
}
