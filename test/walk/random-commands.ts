export interface WalkRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly ifMatch?: number;
}

/** The ids of existing resources by type. */
export interface ExistingResources {
  readonly clusters: readonly string[];
  readonly nodeGroups: readonly string[];
  readonly nodes: readonly string[];
  readonly containers: readonly string[];
  readonly clusterTemplates: readonly string[];
  readonly nodeGroupTemplates: readonly string[];
  readonly operations: readonly string[];
}

/** The profile of every container of the walk. */
export const PROFILE = { name: 'walk', image: 'walk:1', resources: { cpus: 0.1, memoryMb: 16 } };

/** Draws random commands, the same ones for the same seed. */
export class RandomCommands {
  constructor(private readonly random: () => number) {}

  next(existing: ExistingResources): WalkRequest {
    const made = this.one(this.weighted())(existing);
    if (made.method === 'GET') return made;
    const dry = this.chance(0.15) ? `${made.path.includes('?') ? '&' : '?'}dryRun=true` : '';
    return { ...made, path: `${made.path}${dry}`, ...(this.chance(0.1) ? { ifMatch: this.upTo(6) } : {}) };
  }

  private weighted(): readonly ((existing: ExistingResources) => WalkRequest)[] {
    const times = (n: number, make: (s: ExistingResources) => WalkRequest) => Array.from({ length: n }, () => make);
    return [
      ...times(5, s => this.createCluster(s)),
      ...times(3, s => this.patchCluster(s)),
      ...times(8, s => this.clusterAction(s)),
      ...times(2, s => this.removal('clusters', s.clusters)),
      ...times(3, s => this.createGroup(s)),
      ...times(10, s => this.patchGroup(s)),
      ...times(8, s => this.groupAction(s)),
      ...times(2, s => this.removal('node-groups', s.nodeGroups)),
      ...times(12, s => this.nodeAction(s)),
      ...times(3, s => this.removal('nodes', s.nodes, '?lowerMin=true')),
      ...times(4, s => ({ method: 'POST', path: '/v1/containers', body: this.container(s) })),
      ...times(4, s => this.containerAction(s)),
      ...times(2, s => this.removal('containers', s.containers)),
      ...times(3, s => this.createTemplate(s)),
      ...times(2, s => this.patchTemplate(s)),
      ...times(2, s => this.removal('node-group-templates', s.nodeGroupTemplates)),
      ...times(1, s => this.removal('cluster-templates', s.clusterTemplates)),
      ...times(4, s => ({ method: 'POST', path: `/v1/operations/${this.one(s.operations, 'none')}/cancel`, body: {} })),
      ...times(4, s => this.past(s)),
    ];
  }

  private createCluster(s: ExistingResources): WalkRequest {
    const own = {
      driver: 'fake',
      options: this.faults(),
      nodeGroups: [this.group(), ...(this.chance(0.3) ? [this.group()] : [])],
    };
    const from = this.one([
      { cluster: this.one(s.clusters, 'none') },
      { clusterTemplate: this.one(s.clusterTemplates, 'none') },
    ]);
    return { method: 'POST', path: '/v1/clusters', body: this.chance(0.6) ? own : { from } };
  }

  private patchCluster(s: ExistingResources): WalkRequest {
    const body = this.one([
      { labels: { walk: String(this.upTo(9)) } },
      { description: 'walked' },
      { defaults: { image: 'other' } },
      { network: { cidr: '10.1.0.0/16' } },
      { options: { latencyMs: 5 } },
      { conductorGroup: this.one(['', 'site-b', 'nowhere']) },
    ]);
    return { method: 'PATCH', path: `/v1/clusters/${this.one(s.clusters, 'none')}`, body };
  }

  private clusterAction(s: ExistingResources): WalkRequest {
    const [action, body] = this.one<readonly [string, object]>([
      ['rebuild', {}],
      ['reboot', { type: 'soft' }],
      ['upgrade', {}],
      ['pause', {}],
      ['resume', {}],
      ['resume', {}],
      ['retry', {}],
    ]);
    return { method: 'POST', path: `/v1/clusters/${this.one(s.clusters, 'none')}/actions/${action}`, body };
  }

  private createGroup(s: ExistingResources): WalkRequest {
    const from = this.one([
      { nodeGroup: this.one(s.nodeGroups, 'none') },
      { nodeGroupTemplate: this.one(s.nodeGroupTemplates, 'none') },
    ]);
    const body = this.chance(0.5) ? this.group() : { from, count: this.upTo(3) };
    return { method: 'POST', path: `/v1/clusters/${this.one(s.clusters, 'none')}/node-groups`, body };
  }

  private patchGroup(s: ExistingResources): WalkRequest {
    const body = this.one<object>([
      { flavor: { cpus: 1 + this.upTo(3) } },
      { image: `image-${this.upTo(3)}` },
      { zones: this.one([['a'], ['a', 'b'], ['b', 'c'], []]) },
      { labels: { tier: String(this.upTo(3)) } },
      { taints: this.chance(0.5) ? [] : [{ key: 'walk', effect: 'NoSchedule' }] },
      { count: this.upTo(4) },
      { minCount: this.upTo(2), maxCount: 3 + this.upTo(3) },
      { updateStrategy: { maxSurge: this.upTo(2), maxUnavailable: this.upTo(2) } },
      { count: this.upTo(4), flavor: { memoryMb: 512 + 64 * this.upTo(4) } },
    ]);
    return { method: 'PATCH', path: `/v1/node-groups/${this.one(s.nodeGroups, 'none')}`, body };
  }

  private groupAction(s: ExistingResources): WalkRequest {
    const [action, body] = this.one<readonly [string, object]>([
      ['resize', { count: this.upTo(5) }],
      ['resize', { change: 1 }],
      ['rebuild', {}],
      ['reboot', { type: 'hard' }],
      ['retry', {}],
    ]);
    return { method: 'POST', path: `/v1/node-groups/${this.one(s.nodeGroups, 'none')}/actions/${action}`, body };
  }

  private nodeAction(s: ExistingResources): WalkRequest {
    const [action, body] = this.one<readonly [string, object]>([
      ['cordon', {}],
      ['uncordon', {}],
      ['drain', { deadline: '2s' }],
      ['replace', {}],
      ['rebuild', {}],
      ['reboot', { type: 'soft' }],
      ['retry', {}],
    ]);
    return { method: 'POST', path: `/v1/nodes/${this.one(s.nodes, 'none')}/actions/${action}`, body };
  }

  private containerAction(s: ExistingResources): WalkRequest {
    const id = this.one(s.containers, 'none');
    if (this.chance(0.3)) return { method: 'PATCH', path: `/v1/containers/${id}`, body: { labels: { a: 'b' } } };
    const action = this.one(['start', 'stop', 'restart', 'retry']);
    return { method: 'POST', path: `/v1/containers/${id}/actions/${action}`, body: {} };
  }

  private createTemplate(s: ExistingResources): WalkRequest {
    const cluster = { path: '/v1/cluster-templates', method: 'POST' } as const;
    const group = { path: '/v1/node-group-templates', method: 'POST' } as const;
    return this.one<WalkRequest>([
      { ...cluster, body: { from: { cluster: this.one(s.clusters, 'none') } } },
      { ...cluster, body: { driver: 'fake', immutableAttributes: ['driver'], nodeGroups: [this.group()] } },
      { ...group, body: { from: { nodeGroup: this.one(s.nodeGroups, 'none') } } },
      { ...group, body: { ...this.group(), immutableAttributes: ['role'] } },
    ]);
  }

  private patchTemplate(s: ExistingResources): WalkRequest {
    const into = this.chance(0.5) ? null : this.one(s.clusterTemplates, 'none');
    const body = this.one<object>([{ clusterTemplateId: into }, { image: 'walked' }, { role: 'manager' }]);
    return { method: 'PATCH', path: `/v1/node-group-templates/${this.one(s.nodeGroupTemplates, 'none')}`, body };
  }

  private past(s: ExistingResources): WalkRequest {
    const [type, ids] = this.one<readonly [string, readonly string[]]>([
      ['clusters', s.clusters],
      ['node-groups', s.nodeGroups],
      ['nodes', s.nodes],
    ]);
    const path = this.one(['?at=1', '?at=2', '/events', '/diff?from=1', '']);
    return { method: 'GET', path: `/v1/${type}/${this.one(ids, 'none')}${path}` };
  }

  private removal(type: string, ids: readonly string[], query = ''): WalkRequest {
    return { method: 'DELETE', path: `/v1/${type}/${this.one(ids, 'none')}${query}` };
  }

  private group(): object {
    const zones = this.one([[], ['a'], ['a', 'b']]);
    const flavor = { cpus: 1 + this.upTo(2), memoryMb: 512 };
    return { role: 'worker', count: this.upTo(3), flavor, ...(zones.length > 0 ? { zones } : {}) };
  }

  private container(s: ExistingResources): object {
    return { profile: PROFILE.name, hostCluster: this.one(s.clusters, 'none') };
  }

  private faults(): object {
    const failing = { errorRate: 0.05, failFirst: this.upTo(1), lostReplies: 0.03, failDelete: 0.05 };
    return { latencyMs: this.upTo(40), seed: this.upTo(1_000_000), ...(this.chance(0.5) ? failing : {}) };
  }

  private chance(share: number): boolean {
    return this.random() < share;
  }

  private upTo(most: number): number {
    return Math.floor(this.random() * (most + 1));
  }

  private one<T>(items: readonly T[], otherwise?: T): T {
    const item = items[Math.floor(this.random() * items.length)] ?? otherwise;
    if (item === undefined) throw new RangeError('cannot draw from an empty list');
    return item;
  }
}
