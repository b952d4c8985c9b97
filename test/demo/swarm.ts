import { EngineClient } from '@stave/docker';
import { eventually } from '@stave/testing';
import type { ApiClient } from './api-client.js';

interface SwarmNode {
  readonly Description: { readonly Hostname: string };
  readonly Spec: { readonly Role: string; readonly Labels: Readonly<Record<string, string>> };
  readonly Status: { readonly State: string; readonly Addr: string };
}

const caller = { signal: new AbortController().signal, checkpoint: () => undefined };

/** Returns the members of the Swarm from its manager's engine, with the credentials that Stave returns for the cluster. */
export async function swarmMembers(api: ApiClient, cluster: string) {
  const { endpoint = '' } = await api.get<{ readonly endpoint?: string }>(`/v1/clusters/${cluster}/credentials`);
  const manager = new EngineClient(endpoint.replace(/^unix:\/\//, ''));
  const members = await eventually(() => manager.read<readonly SwarmNode[]>(caller, '/nodes'), {
    what: 'the manager answers',
  });
  return members.map(({ Description, Spec, Status }) => ({
    'swarm node': Description.Hostname,
    role: Spec.Role,
    state: Status.State,
    address: Status.Addr,
    labels: Object.entries(Spec.Labels)
      .filter(([key]) => key.endsWith('zone') || key.endsWith('flavor'))
      .map(([key, value]) => `${key}=${value}`)
      .join(' '),
  }));
}
