import { randomUUID } from 'node:crypto';
import {
  eventVersions,
  stableId,
  type DomainEvent,
  type OperationCancelRequested,
  type OperationEnded,
} from '@stave/domain';
import type { EventMetadata, NewEvent } from '@stave/platform';
import type { AppendAdmission } from '../plans/append-admission.js';
import type { AppendsAhead } from './appends-ahead.js';

interface Metadata extends Omit<EventMetadata, 'schemaVersion' | 'time'> {
  readonly actor: string;
}

/** The actor of what services decide without a request. */
export const RECONCILER = 'reconciler';
/** The actor of what follows from the load: changes of sets and node groups that nobody asked for. */
export const AUTOSCALER = 'autoscaler';
/** The actor of what a conductor claims, reports or observes. */
export const conductorActor = (id: string): string => `conductor/${id}`;

/** The actor of what another process of the product requests. */
export const serviceActor = (name: string): string => `service/${name}`;

/**
 * Metadata as the caller knows it; schema version and time are added when the event is made. Without a causation id the correlation is the
 * cause: nothing earlier was recorded.
 */
export interface EventContext extends Metadata {
  /** Decides about the appends of a planned request. It is not stored. */
  readonly admission?: AppendAdmission;
  /** What is appended right before the next event of a resource with this context. It is not stored. */
  readonly ahead?: AppendsAhead;
}

interface Subject {
  readonly id: string;
  readonly projectId: string;
  readonly clusterId: string;
}

/** Returns the metadata of events that a service decides and that follow from an operation; without an operation ('' or undefined) they follow from the resource. */
export function operationContext(
  { id, projectId, clusterId }: Subject = { id: '', projectId: '', clusterId: '' },
  operationId?: string,
): EventContext {
  return {
    correlationId: operationId || id,
    actor: RECONCILER,
    project: projectId,
    clusterId,
    ...(operationId && { operationId }),
  };
}

/** Events about an operation get its id, whichever operation the context is of. */
function contextOf({ type, data }: DomainEvent, context: Metadata): Metadata {
  if (type !== 'OperationEnded' && type !== 'OperationCancelRequested') return context;
  const { operationId } = data as (OperationEnded | OperationCancelRequested)['data'];
  return { ...context, operationId };
}

/**
 * Returns events as they are appended. Their ids are UUIDv5 of stream, revision, content, operation and request, so that an append whose
 * answer was lost can be repeated.
 */
export function newEvents(
  stream: string,
  after: number,
  events: readonly DomainEvent[],
  context: EventContext,
  time: string,
): NewEvent[] {
  const { operationId = '', correlationId } = context;
  const idOf = ({ type, data }: DomainEvent, i: number): string =>
    stableId(stream, after + 1 + i, type, JSON.stringify(data), operationId, correlationId);
  return events.map((event, i) => newEvent(idOf(event, i), event, context, time));
}

/**
 * As `newEvents`, with ids of this call: another call that decides the same at the same revision is refused, and not taken for a repeat.
 * When the answer is lost, append the same events again.
 */
export const eventsOfOneCall = (events: readonly DomainEvent[], context: EventContext, time: string): NewEvent[] =>
  events.map(event => newEvent(randomUUID(), event, context, time));

function newEvent(
  id: string,
  event: DomainEvent,
  { admission: _admission, ahead: _ahead, ...context }: EventContext,
  time: string,
): NewEvent {
  return {
    id,
    type: event.type,
    data: event.data as object,
    metadata: {
      causationId: context.correlationId,
      ...contextOf(event, context),
      schemaVersion: eventVersions.currentVersion(event.type),
      time,
    },
  };
}
