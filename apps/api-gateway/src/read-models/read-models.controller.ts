import { Controller } from '@nestjs/common';
import { operationPrefixes, type ServiceName } from '@stave/contracts';
import { readModelRoutes } from '../routes/read-model.routes.js';
import { ServiceClient, type Reply } from '../services/service-client.js';
import { ok, planned, type Answer } from '../http/answer.js';
import { FromCall, Handles, param, type Call } from '../http/call.js';
import { notFound } from '../problems/refusals.js';

const names = Object.values(operationPrefixes);

/** Splits `<service>.<name>`. Throws RefusedError for an unknown service. */
function ownerOf(id: string): { readonly service: ServiceName; readonly name: string } {
  const service = names.find(name => id.startsWith(`${name}.`));
  if (service) return { service, name: id.slice(service.length + 1) };
  throw notFound('the read model does not exist');
}

@Controller()
export class ReadModelsController {
  constructor(private readonly services: ServiceClient) {}

  @Handles(readModelRoutes.list)
  async list(@FromCall() { meta }: Call): Promise<Answer> {
    const ask = (service: ServiceName) => this.services.askService(service, 'read-model', 'list', { meta, body: {} });
    const replies = await Promise.all(names.map(ask));
    return ok({ items: replies.flatMap(({ data }) => data), nextCursor: null });
  }

  @Handles(readModelRoutes.get)
  async get(@FromCall() call: Call): Promise<Answer> {
    return ok((await this.ask(call, 'get')).data);
  }

  @Handles(readModelRoutes.rebuild)
  async rebuild(@FromCall() call: Call): Promise<Answer> {
    const headers = { Location: `/v1/read-models/${param(call)}` };
    const reply = await this.ask(call, 'rebuild');
    return call.meta.dryRun ? planned(reply) : { status: 202, headers, body: reply.data };
  }

  private async ask(call: Call, verb: string): Promise<Reply> {
    const { service, name } = ownerOf(param(call));
    return this.services.askService(service, 'read-model', verb, { meta: call.meta, body: { name } });
  }
}
