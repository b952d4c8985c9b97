import { Global, Module, type DynamicModule } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import { brokenRules, type PolicyProperties } from '@stave/domain';

/** Injection token of the hosts that hooks of deletion policies may name: `host`, or `host:port`. */
export const HOOK_HOSTS = Symbol('HookHosts');

/** The hosts that hooks may name; none by default. */
@Global()
@Module({})
export class HookHostsModule {
  static forRoot(hosts: readonly string[] = []): DynamicModule {
    return {
      module: HookHostsModule,
      providers: [{ provide: HOOK_HOSTS, useValue: hosts }],
      exports: [HOOK_HOSTS],
    };
  }
}

/** Whether the host of the URL is listed, with its port or without one. */
export function isHookAllowed(hosts: readonly string[], url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { host, hostname } = new URL(url);
  return hosts.includes(host) || hosts.includes(hostname);
}

/** Throws RefusedError `hook-not-allowed` for a hook whose host the operator does not list. */
export function requireAllowedHook(hosts: readonly string[], properties: PolicyProperties): void {
  const url = 'hook' in properties ? properties.hook?.url : undefined;
  if (url === undefined || isHookAllowed(hosts, url)) return;
  const detail = 'HOOK_HOSTS of this installation does not list the host';
  throw new RefusedError(brokenRules([{ pointer: '/properties/hook/url', code: 'hook-not-allowed', detail }]));
}
