import { CloudSession, readCloud, type HttpAnswer, type ServiceType } from '@stave/openstack';
import { aDriverContext } from '@stave/driver-sdk/testing';
import type { OpenStackServer, OpenStackUser } from '@stave/testing';

type Method = 'GET' | 'POST' | 'DELETE';

interface Item {
  readonly id: string;
  readonly stack_name?: string;
  readonly stack_status?: string;
}

const textOf = ({ id, stack_name, stack_status }: Item): string =>
  [id, stack_name, stack_status].filter(text => text !== undefined).join(' ');

/** Reads and changes an OpenStack beside the drivers, as one of its users. */
export class CloudContent {
  private constructor(private readonly session: CloudSession) {}

  static async of(cloud: OpenStackServer, user: OpenStackUser = 'member'): Promise<CloudContent> {
    return new CloudContent(new CloudSession(readCloud(await cloud.environment(user), () => undefined)));
  }

  send(
    service: ServiceType,
    method: Method,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpAnswer> {
    const { signal, secrets } = aDriverContext();
    return this.session.send({ service, method, path, signal, secrets, headers });
  }

  /** Waits until a condition holds; the time-out of the test ends the wait. */
  async until(condition: () => Promise<boolean>): Promise<void> {
    while (!(await condition())) await new Promise(resolve => setTimeout(resolve, 200));
  }

  /** Returns the ids of all stacks (with their state), servers, networks, ports, routers and security groups of the user's project, by kind. */
  async inventory(): Promise<Readonly<Record<string, readonly string[]>>> {
    const lists: readonly (readonly [ServiceType, string, string])[] = [
      ['orchestration', '/stacks?limit=1000', 'stacks'],
      ['compute', '/servers?limit=1000', 'servers'],
      ['network', '/v2.0/networks?router%3Aexternal=False', 'networks'],
      ['network', '/v2.0/ports', 'ports'],
      ['network', '/v2.0/routers', 'routers'],
      ['network', '/v2.0/security-groups', 'security_groups'],
    ];
    const entries = lists.map(async ([service, path, kind]) => {
      const body = (await this.send(service, 'GET', path)).body as Record<string, readonly Item[]>;
      // Heat lists a stack whose content is gone until it has removed its trust in Keystone
      const present = (body[kind] ?? []).filter(({ stack_status }) => stack_status !== 'DELETE_COMPLETE');
      return [kind, present.map(textOf).sort()] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }
}
