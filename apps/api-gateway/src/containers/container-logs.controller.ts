import { Controller, type OnModuleDestroy } from '@nestjs/common';
import { ok, type Answer } from '../http/answer.js';
import { FromCall, Handles, param, type Call } from '../http/call.js';
import { member } from '../http/members.js';
import { containerLogsRoute } from '../routes/container.routes.js';
import { ServiceClient } from '../services/service-client.js';
import { FollowedTexts } from './followed-texts.js';

const DEFAULT_TAIL = 200;

/** Answers the logs of containers. */
@Controller()
export class ContainerLogsController implements OnModuleDestroy {
  constructor(
    private readonly services: ServiceClient,
    private readonly texts: FollowedTexts,
  ) {}

  @Handles(containerLogsRoute)
  async logs(@FromCall() call: Call): Promise<Answer> {
    if (call.query['follow'] === true) return this.followed(call);
    const { data } = await this.ask(call, 'logs');
    return ok(typeof data === 'string' ? { logs: data } : data);
  }

  onModuleDestroy(): void {
    this.texts.close();
  }

  private async followed(call: Call): Promise<Answer> {
    const text = await this.texts.open(call.meta.actor, async () => {
      const subject = member((await this.ask(call, 'follow-logs')).data, 'subject');
      if (typeof subject !== 'string') throw new Error('the reply to container.follow-logs has no subject');
      return subject;
    });
    return ok(text, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store, no-transform' });
  }

  private ask(call: Call, verb: 'logs' | 'follow-logs') {
    const { tail = DEFAULT_TAIL } = call.query;
    return this.services.ask('container', verb, call.meta, { id: param(call), tail });
  }
}
