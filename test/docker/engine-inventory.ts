import { EngineClient } from '@stave/docker';
import { hostSocket } from '@stave/docker/testing';

const caller = { signal: new AbortController().signal, checkpoint: () => undefined };

/** Returns every container, volume and network of this machine's engine, also those that have no label. */
export async function engineInventory(): Promise<readonly string[]> {
  const engine = new EngineClient(hostSocket);
  const [containers, networks, { Volumes }] = await Promise.all([
    engine.read<readonly { readonly Id: string; readonly Names: readonly string[] }[]>(caller, '/containers/json', {
      query: { all: true },
    }),
    engine.read<readonly { readonly Id: string; readonly Name: string }[]>(caller, '/networks'),
    engine.read<{ readonly Volumes: readonly { readonly Name: string }[] | null }>(caller, '/volumes'),
  ]);
  return [
    ...containers.map(({ Id, Names }) => `container ${Id} ${Names.join()}`),
    ...networks.map(({ Id, Name }) => `network ${Id} ${Name}`),
    ...(Volumes ?? []).map(({ Name }) => `volume ${Name}`),
  ].sort();
}
