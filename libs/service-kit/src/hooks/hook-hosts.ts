import { RefusedError } from '@stave/contracts';
import { brokenRules, type PolicyProperties } from '@stave/domain';

/** Injection token of the hosts that hooks of deletion policies may name: `host`, or `host:port`. */
export const HOOK_HOSTS = Symbol('HookHosts');

export const HOOK_CONCURRENCY = Symbol('HookConcurrency');
/** A call of a host that does not answer holds its place for 5 s, so 32 places end at least 6 calls a second. */
export const DEFAULT_HOOK_CONCURRENCY = 32;

/** Hosts, with a port or without one, separated by commas: no URLs, which would allow nothing. */
export const HOOK_HOSTS_PATTERN = /^(?:\s*(?:(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?)?\s*(?:,|$))*$/;
export const HOOK_HOSTS_RULE = 'takes hosts such as hooks.example.com or 10.0.0.5:8080, separated by commas';

/** Whether the host of the URL is listed, with its port or without one. The case of letters does not count, and a port may be the usual one. */
export function isHookAllowed(hosts: readonly string[], url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, port, protocol } = new URL(url);
  const withPort = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  return hosts.some(host => [hostname, withPort].includes(host.toLowerCase()));
}

/** Throws RefusedError `hook-not-allowed` for a hook whose host the operator does not list. */
export function requireAllowedHook(hosts: readonly string[], properties: PolicyProperties): void {
  const url = 'hook' in properties ? properties.hook?.url : undefined;
  if (url === undefined || isHookAllowed(hosts, url)) return;
  const detail = 'HOOK_HOSTS of this installation does not list the host';
  throw new RefusedError(brokenRules([{ pointer: '/properties/hook/url', code: 'hook-not-allowed', detail }]));
}
