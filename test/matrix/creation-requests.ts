import type { CreationCase } from './creation-cases.js';
import { valuesByPlace } from './creation-oracle.js';
import { needed, type CreationSources } from './creation-sources.js';

export interface CreationRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export async function requestOf(c: CreationCase, sources: CreationSources): Promise<CreationRequest> {
  const { attribute, way, entry, merged } = c;
  const { request, defaults } = valuesByPlace(c);
  const ofDefaults = defaults === undefined ? {} : { defaults: { [attribute]: defaults } };
  const group = {
    ...(entry === 'attributes' && !merged ? needed(attribute) : {}),
    ...(request === undefined ? {} : { [attribute]: request }),
    ...(entry === 'attributes' || entry === 'none' ? {} : { from: { [entry]: await sources.entry(c) } }),
  };
  if (way === 'existing') {
    const parent = await sources.parent(ofDefaults.defaults ?? {});
    return { path: `/v1/clusters/${parent}/node-groups`, body: { name: 'mine', ...group } };
  }
  const source = way === 'attributes' ? {} : { from: { [way]: await sources.under(c) } };
  const body = {
    ...source,
    ...(c.driver && way !== 'cluster' ? { driver: 'fake' } : {}),
    ...ofDefaults,
    ...(merged || way === 'attributes' ? {} : { omitNodeGroups: ['WEB'] }),
    ...(entry === 'none' ? {} : { nodeGroups: [{ name: merged ? 'Web' : 'mine', ...group }] }),
  };
  return { path: '/v1/clusters', body };
}
