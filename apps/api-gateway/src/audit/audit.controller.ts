import { Controller, Inject } from '@nestjs/common';
import { auditStream, type AuditEntry, type ChangeAudited } from '@stave/contracts';
import type { EventStore, RecordedEvent } from '@stave/platform';
import { validationFailed } from '@stave/service-kit';
import { PageRequest } from '../events/event-pages.js';
import { EVENT_STORE } from '../gateway.tokens.js';
import { ok, type Answer } from '../http/answer.js';
import { FromCall, Handles, type Call, type Values } from '../http/call.js';
import { auditRoute } from '../routes/audit.routes.js';
import { driverOperationRoutes } from '../routes/driver-operation.routes.js';
import { allRoutes } from '../routes/index.js';
import { ListReferences } from '../services/list-references.js';

const READ = 1_000;
/** The most entries that one request examines. */
const MAX_EXAMINED = 20_000;

const filters = ['projectId', 'subject', 'operation', 'outcome', 'code'] as const;

interface Page {
  readonly items: readonly AuditEntry[];
  /** The revision of the entry after the page; undefined after the last page. */
  readonly next?: number;
}

/** Lists the audit from its stream, the newest entries first. */
@Controller()
export class AuditController {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly references: ListReferences,
  ) {}

  @Handles(auditRoute)
  async list(@FromCall() { meta, query }: Call): Promise<Answer> {
    const { limit: _, cursor: _cursor, ...of } = query;
    requireOperation(of['operation']);
    const request = new PageRequest({ audit: true, ...of }, query);
    const project = of['projectId'];
    const wanted =
      project === undefined ? of : { ...of, projectId: await this.references.idOf(meta, 'project', String(project)) };
    const { items, next } = await this.page(request, wanted);
    return ok({ items, nextCursor: next === undefined ? null : request.cursor(next) });
  }

  private async page({ start, limit }: PageRequest, wanted: Values): Promise<Page> {
    const since = wanted['since'] === undefined ? -Infinity : Date.parse(String(wanted['since']));
    const items: AuditEntry[] = [];
    let from = start;
    for (let examined = 0; examined < MAX_EXAMINED; examined += READ) {
      const events = await this.store.readStream(auditStream, {
        direction: 'backwards',
        limit: READ,
        ...(from === undefined ? {} : { from }),
      });
      for (const event of events) {
        const entry = entryIn(event);
        if (Date.parse(entry.time) < since) return { items };
        if (!filters.every(name => wanted[name] === undefined || entry[name] === wanted[name])) continue;
        if (items.length === limit) return { items, next: event.revision };
        items.push(entry);
      }
      const last = events.at(-1);
      if (!last || last.revision === 0) return { items };
      from = last.revision - 1;
    }
    return { items, ...(from === undefined ? {} : { next: from }) };
  }
}

const operations: ReadonlySet<unknown> = new Set([...allRoutes, ...driverOperationRoutes].map(({ id }) => id));

/** Throws RefusedError (400) for a name that no operation of the API has. */
function requireOperation(name: unknown): void {
  if (name === undefined || operations.has(name)) return;
  const detail = 'must be the operationId of an operation of the API';
  throw validationFailed([{ pointer: '?operation', code: 'not-allowed', detail }]);
}

const entryIn = ({ id, metadata, data }: RecordedEvent): AuditEntry => ({
  id,
  time: metadata.time,
  ...(data as ChangeAudited['data']),
});
