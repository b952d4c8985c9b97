import type { Api, Document } from '../api/api.js';
import type { Names } from './values.js';

const targets = [
  ['cluster', '/v1/clusters'],
  ['nodeGroup', '/v1/node-groups'],
  ['containerSet', '/v1/container-sets'],
] as const;

/** The names of the clusters and nodes that a page refers to, read once per page and type. */
export class PageNames implements Names {
  private readonly known = new Map<string, string>();

  constructor(
    private readonly api: Api,
    readonly now: number,
  ) {}

  nameOf(id: string): string {
    return this.known.get(id) ?? id;
  }

  /** Reads the names of what these documents refer to in the columns that are shown. */
  async learn(documents: readonly Document[], columns: readonly string[]): Promise<void> {
    if (columns.includes('cluster')) await this.read('/v1/clusters', documents, 'clusterId');
    if (columns.includes('node')) await this.read('/v1/nodes', documents, 'nodeId');
  }

  /** Reads the names of what policies are attached to. */
  async learnTargets(attachments: readonly Document[]): Promise<void> {
    for (const [type, path] of targets)
      await this.read(
        path,
        attachments.filter(({ targetType }) => targetType === type),
        'targetId',
      );
  }

  private async read(path: string, documents: readonly Document[], member: string): Promise<void> {
    const ids = new Set<string>();
    for (const { [member]: id } of documents) if (typeof id === 'string' && !this.known.has(id)) ids.add(id);
    if (ids.size === 0) return;
    const query = { id: [...ids].join(','), fields: 'name', limit: 500 };
    for await (const { id, name } of this.api.items(path, query)) this.known.set(String(id), String(name));
  }
}
