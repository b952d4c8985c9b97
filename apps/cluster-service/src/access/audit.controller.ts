import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import {
  auditStream,
  commandSubject,
  type AuditEntry,
  type ChangeAudited,
  type ServiceRequest,
} from '@stave/contracts';
import { eventVersions, omitUndefined } from '@stave/domain';
import type { EventStore, NewEvent } from '@stave/platform';
import { EVENT_STORE } from '@stave/service-kit';

const TYPE: ChangeAudited['type'] = 'ChangeAudited';

/** Keeps what gateways report of changes, accepted and refused ones. */
@Controller()
export class AuditController {
  constructor(@Inject(EVENT_STORE) private readonly store: EventStore) {}

  /** Appends the entries. A repeat after a lost answer appends the same events, which has no second effect. */
  @MessagePattern(commandSubject('cluster-service', 'audit', 'record'))
  async record({ body }: ServiceRequest<{ readonly entries: readonly AuditEntry[] }>): Promise<object> {
    await this.store.append(auditStream, body.entries.map(eventOf), 'any');
    return { recorded: body.entries.length };
  }
}

/** The correlation of the request is in the data: the entry is no part of what the request did. */
function eventOf({ id, time, ...data }: AuditEntry): NewEvent {
  const project = omitUndefined({ project: data.projectId ?? undefined });
  const schemaVersion = eventVersions.currentVersion(TYPE);
  return {
    id,
    type: TYPE,
    data,
    metadata: { schemaVersion, time, correlationId: id, actor: data.subject, ...project },
  };
}
