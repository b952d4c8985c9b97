import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, RefusedError, type RequestMeta, type ServiceRequest } from '@stave/contracts';
import type { QuotaClaim, QuotaDemand } from '@stave/domain';
import { serviceActor, type EventContext } from '@stave/service-kit';
import { QuotaLedger } from './quota-ledger.js';

const on = (verb: string): string => commandSubject('cluster-service', 'project', verb);

/** `id` is the project. */
interface Demand extends QuotaDemand {
  readonly reservation: string;
}

interface Release {
  readonly id: string;
  readonly reservation: string;
}

/** What services ask before they append an event after which a resource takes more. */
@Controller()
export class QuotaDemandController {
  constructor(private readonly ledger: QuotaLedger) {}

  @MessagePattern(on('reserve-quota'))
  async reserve({ meta, body }: ServiceRequest<Demand>): Promise<readonly QuotaClaim[]> {
    await this.ledger.reserve(body.id, demandOf(body), contextOf(meta, body.id));
    return [];
  }

  /** Answers what a plan would take. */
  @MessagePattern(on('check-quota'))
  check({ meta, body }: ServiceRequest<Demand>): Promise<readonly QuotaClaim[]> {
    requireService(meta);
    return this.ledger.check(body.id, demandOf(body));
  }

  @MessagePattern(on('release-quota'))
  async release({ meta, body }: ServiceRequest<Release>): Promise<object> {
    await this.ledger.release(body.id, body.reservation, contextOf(meta, body.id));
    return {};
  }
}

const demandOf = ({ reservation: id, stream, after, amounts }: Demand): QuotaDemand => ({ id, stream, after, amounts });

/** Throws RefusedError for a request of a client: only services of the product ask for room. */
function requireService({ actor }: RequestMeta): void {
  const detail = 'only services of the product ask for room in a quota';
  if (actor.project !== null) throw new RefusedError({ code: 'forbidden', kind: 'forbidden', detail });
}

function contextOf(meta: RequestMeta, project: string): EventContext {
  requireService(meta);
  return { correlationId: meta.correlationId, actor: serviceActor(meta.actor.keyId), project };
}
