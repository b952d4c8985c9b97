import type { AllStreamResolvedEvent, ResolvedEvent } from '@eventstore/db-client';
import type { EventMetadata, RecordedEvent } from '../event-store.port.js';

/**
 * Converts an event of the client. Returns undefined for system events and for links whose event is deleted. `position`
 * is the commit position.
 */
export function recordedEvent(resolved: ResolvedEvent | AllStreamResolvedEvent): RecordedEvent | undefined {
  const event = resolved.event;
  if (!event || event.streamId.startsWith('$')) return undefined;
  const position = event.position?.commit ?? resolved.commitPosition;
  if (position === undefined) return undefined;
  return {
    id: event.id,
    type: event.type,
    data: event.data,
    metadata: metadataOf(event.metadata),
    stream: event.streamId,
    revision: Number(event.revision),
    position: Number(position),
  };
}

/** Returns the metadata, which events of other writers may lack. */
function metadataOf(metadata: unknown): EventMetadata {
  return (metadata ?? {}) as EventMetadata;
}
