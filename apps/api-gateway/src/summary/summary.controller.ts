import { Controller } from '@nestjs/common';
import { operationPrefixes, type ServiceName } from '@stave/contracts';
import { ok, type Answer } from '../http/answer.js';
import { FromCall, Handles, type Call } from '../http/call.js';
import { summaryRoute } from '../routes/summary.routes.js';
import { ServiceClient } from '../services/service-client.js';

type Numbers = Readonly<Record<string, number>>;

/** Adds numbers by status: every service counts its own operations. */
function added(a: Numbers, b: Numbers): Numbers {
  const sums = { ...a };
  for (const [status, number] of Object.entries(b)) sums[status] = (sums[status] ?? 0) + number;
  return sums;
}

@Controller()
export class SummaryController {
  constructor(private readonly services: ServiceClient) {}

  /** Fails when one of the services does not answer: missing numbers would look like none. */
  @Handles(summaryRoute)
  async get(@FromCall() { meta }: Call): Promise<Answer> {
    const ask = (service: ServiceName) => this.services.askService(service, 'summary', 'get', { meta, body: {} });
    const replies = await Promise.all(Object.values(operationPrefixes).map(ask));
    const summary: Record<string, Numbers> = {};
    for (const { data } of replies)
      for (const [type, numbers] of Object.entries(data as Readonly<Record<string, Numbers>>))
        summary[type] = added(summary[type] ?? {}, numbers);
    return ok(summary);
  }
}
