import type { DriverContext } from '@stave/driver-sdk';
import {
  CloudSession,
  failureOfAnswer,
  HeatClient,
  StackPoller,
  type CloudSettings,
  type HttpAnswer,
  type PollingPace,
  type ServiceRequest,
} from '@stave/openstack';

/** On whose behalf something is read. */
export type Reader = Pick<DriverContext, 'signal' | 'secrets'>;

type Request = Pick<ServiceRequest, 'service' | 'method' | 'path' | 'body' | 'headers'>;

const names = { compute: 'Nova', network: 'Neutron', image: 'Glance', volumev3: 'Cinder' };

/** One project of an OpenStack, in one region. */
export class Cloud {
  readonly heat: HeatClient;
  private readonly session: CloudSession;
  private readonly pollers = new Map<string, StackPoller>();

  constructor(
    readonly settings: CloudSettings,
    private readonly pace: PollingPace,
  ) {
    this.session = new CloudSession(settings);
    this.heat = new HeatClient(this.session);
  }

  /** Returns the ids of the user and the project of the login. */
  account(reader: Reader): Promise<{ readonly userId: string; readonly projectId: string }> {
    return this.session.account(reader.secrets);
  }

  /** Returns the body of the answer to a GET. Throws what an answer with another status means. */
  async read(
    reader: Reader,
    service: keyof typeof names,
    path: string,
    headers?: Request['headers'],
  ): Promise<unknown> {
    const request = { service, method: 'GET', path, ...(headers && { headers }) } as const;
    return (await this.send(reader, request)).body;
  }

  /** Sends a change after the checkpoint. Throws what an answer with another status than 2xx means. */
  change(ctx: DriverContext, request: Request): Promise<HttpAnswer> {
    ctx.checkpoint();
    return this.send(ctx, request);
  }

  /** Returns the poller of the stacks with these tags, which all waits for them share. */
  poller(tags: Readonly<Record<string, string>>): StackPoller {
    const key = JSON.stringify(tags);
    const found = this.pollers.get(key) ?? new StackPoller(this.heat, tags, this.pace);
    this.pollers.set(key, found);
    return found;
  }

  /** Forgets the poller of the stacks with these tags. Those who wait with it still do. */
  forgetPoller(tags: Readonly<Record<string, string>>): void {
    this.pollers.delete(JSON.stringify(tags));
  }

  private async send({ signal, secrets }: Reader, request: Request): Promise<HttpAnswer> {
    const answer = await this.session.send({ signal, secrets, ...request });
    const name = request.service in names ? names[request.service as keyof typeof names] : request.service;
    const what = `${request.method} ${request.path.replace(/\?.*/, '')}`;
    if (answer.status >= 300) throw failureOfAnswer(what, answer, name);
    return answer;
  }
}
