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

type Metadata = Omit<EventMetadata, 'schemaVersion' | 'time'>;

/** Metadata as the caller knows it; schema version and time are added when the event is made. */
export interface EventContext extends Metadata {
  /** Decides about the appends of a planned request. It is not stored. */
  readonly admission?: AppendAdmission;
}

interface Subject {
  readonly id: string;
  readonly projectId: string;
  readonly clusterId: string;
}

/** Returns the metadata of events that follow from an operation; without an operation ('' or undefined) they follow from the resource. */
export function operationContext(
  { id, projectId, clusterId }: Subject = { id: '', projectId: '', clusterId: '' },
  operationId?: string,
): EventContext {
  return { correlationId: operationId || id, project: projectId, clusterId, ...(operationId && { operationId }) };
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
  { admission: _admission, ...context }: EventContext,
  time: string,
): NewEvent[] {
  const { operationId = '' } = context;
  return events.map((event, i) => ({
    id: stableId(stream, after + 1 + i, event.type, JSON.stringify(event.data), operationId, context.correlationId),
    type: event.type,
    data: event.data as object,
    metadata: { ...contextOf(event, context), schemaVersion: eventVersions.currentVersion(event.type), time },
  }));
}

/**
 * As `newEvents`, with ids of this call: another call that decides the same at the same revision is refused, and not taken for a repeat.
 * When the answer is lost, append the same events again.
 */
export function eventsOfOneCall(...of: Parameters<typeof newEvents>): NewEvent[] {
  const call = randomUUID();
  return newEvents(...of).map(event => ({ ...event, id: stableId(event.id, call) }));
}
