import type { TaskKind } from '@stave/driver-sdk';
import { eventually, expectStatus, uniqueName } from '@stave/testing';
import { small } from '../../e2e/fleet.js';
import type { ContainerView, ResourceView } from '../../e2e/views.js';
import { factOf } from '../history.js';
import { actOnAttachments } from './takeover-attachments.js';
import { actOnMachines } from './takeover-machines.js';
import type { TakeoverHarness } from './takeover-harness.js';
import type { GateRule } from './gate-rule.js';
import { buildTime, ruleOf, taskRows, type TaskRow } from './takeover-rows.js';

const EACH = 3;
const BACK_OFFS = 4;
/** The request that starts each kind of task of an active node. */
const nodeActions = [
  { kind: 'node.rebuild', path: 'rebuild', body: {} },
  { kind: 'node.softReboot', path: 'reboot', body: { type: 'soft' } },
  { kind: 'node.hardReboot', path: 'reboot', body: { type: 'hard' } },
  { kind: 'node.drain', path: 'drain', body: {} },
  { kind: 'node.undrain', path: 'uncordon', body: {}, after: 'drain' },
] as const;

/** The request that starts each kind of task of a whole cluster. */
const clusterActions = [
  { kind: 'cluster.rebuild', path: 'rebuild', body: {} },
  { kind: 'cluster.softReboot', path: 'reboot', body: { type: 'soft' } },
  { kind: 'cluster.hardReboot', path: 'reboot', body: { type: 'hard' } },
] as const;

/**
 * Brings one conductor into every row of the takeover table at the same time, with a separate resource for each row,
 * and kills it.
 */
export class TakeoverScenario {
  /** Rules by `<kind>/<progress>`. */
  readonly rules = new Map<string, GateRule>();
  /** Nodes with a task that no conductor has claimed when the victim is killed. */
  readonly open: string[] = [];
  superseded: readonly GateRule[] = [];
  withoutSuccessor = '';
  retriesExhausted = '';
  backingOff = '';
  settled = '';
  private cluster = '';
  private machines: ReadonlyMap<string, string> = new Map();

  constructor(private readonly harness: TakeoverHarness) {}

  private get buildMs(): number {
    return buildTime(this.harness.startMs);
  }

  async run(): Promise<void> {
    const [nodes, containers, clusters] = await Promise.all([this.nodes(), this.containers(), this.clusters()]);
    const [empty, single] = await Promise.all([this.clusters(), this.clusters(1)]);
    await this.actOnNodes(nodes);
    await this.actOnContainers(containers);
    for (const id of clusters) this.stop('cluster.delete', id);
    await Promise.all(clusters.map(id => this.harness.api.delete(`/v1/clusters/${id}`)));
    await this.updates(empty, single);
    await this.actOnClusters();
    await actOnAttachments(this.harness, (kind, id) => this.stop(kind, id));
    this.machines = await actOnMachines(this.harness, (kind, engine) => this.stop(kind, engine));
    await this.creations();
    await this.failures();
    await this.harness.reached([...this.rules.values(), ...this.superseded]);
    await this.die();
  }

  /** Returns the resource of a row; an empty text where there is none yet. */
  resourceOf({ kind, reached }: TaskRow): string {
    const id = this.rules.get(`${kind}/${reached}`)?.resourceId ?? '';
    return this.machines.get(id) ?? id;
  }

  /** Assigns the next free row of a kind to this resource; without one, to the first resource with such a call. */
  private stop(kind: TaskKind, resourceId?: string): void {
    const row = taskRows.find(each => each.kind === kind && !this.rules.has(`${kind}/${each.reached}`));
    if (!row) throw new Error(`every row of ${kind} already has a resource`);
    this.rules.set(`${kind}/${row.reached}`, this.harness.gate.rule(ruleOf(row, this.buildMs, resourceId)));
  }

  /** Creates the nodes to act on, and in a separate cluster a node with a container. */
  private async nodes(): Promise<readonly string[]> {
    const { harness } = this;
    this.cluster = await harness.cluster(nodeActions.length * EACH + EACH + 3);
    const ids = (await harness.fleet.nodes(this.cluster)).map(({ id }) => id);
    const [backingOff = '', open = '', settled = '', ...targets] = ids;
    this.backingOff = backingOff;
    this.open.push(open);
    this.settled = settled;
    const host = await harness.cluster(1);
    await this.container(await this.profile(host), host);
    this.withoutSuccessor = (await harness.fleet.nodes(host))[0]?.id ?? '';
    return targets;
  }

  private async actOnNodes(targets: readonly string[]): Promise<void> {
    const { api, gate } = this.harness;
    const waiting = [...targets];
    for (const { kind, path, body, ...rest } of nodeActions)
      for (const id of waiting.splice(0, EACH)) {
        const act = (action: string) => api.post(`/v1/nodes/${id}/actions/${action}`, body);
        if ('after' in rest) await api.succeed(act(rest.after));
        this.stop(kind, id);
        expect((await act(path)).status).toBeLessThan(300);
      }
    for (const id of waiting) {
      this.stop('node.delete', id);
      expectStatus(await api.delete(`/v1/nodes/${id}`), 202);
    }
    const atReboot = { operation: 'node.hardReboot', call: 'act', stop: { at: 'request' } } as const;
    this.superseded = [gate.rule({ ...atReboot, resourceId: this.withoutSuccessor })];
    await api.post(`/v1/nodes/${this.withoutSuccessor}/actions/reboot`, { type: 'hard' });
  }

  private profileId = '';

  private async containers(): Promise<readonly string[]> {
    const host = await this.harness.cluster(2);
    this.profileId = await this.profile(host);
    const count = 5 * EACH + 1;
    const made = await Promise.all(Array.from({ length: count }, () => this.container(this.profileId, host)));
    await Promise.all(
      made
        .slice(0, EACH)
        .map(id => this.harness.api.succeed(this.harness.api.post(`/v1/containers/${id}/actions/stop`))),
    );
    return made;
  }

  private async actOnContainers(ids: readonly string[]): Promise<void> {
    const { api } = this.harness;
    const waiting = [...ids];
    for (const action of ['start', 'stop', 'restart'] as const)
      for (const id of waiting.splice(0, EACH)) {
        this.stop(`container.${action}`, id);
        expectStatus(await api.post(`/v1/containers/${id}/actions/${action}`), 202);
      }
    for (const id of waiting.splice(0, EACH)) {
      this.stop('container.update', id);
      expectStatus(await api.patch(`/v1/containers/${id}`, { restartPolicy: 'always' }), 202);
    }
    for (const id of waiting.splice(0, EACH)) {
      this.stop('container.delete', id);
      expectStatus(await api.delete(`/v1/containers/${id}`), 202);
    }
    [this.retriesExhausted = ''] = waiting;
  }

  private clusters(nodes = 0): Promise<readonly string[]> {
    return Promise.all(Array.from({ length: EACH }, () => this.harness.cluster(nodes)));
  }

  /** Starts updates of the shared infrastructure of empty clusters, and of the only node of the other clusters. */
  private async updates(empty: readonly string[], single: readonly string[]): Promise<void> {
    const { api, fleet } = this.harness;
    for (const id of empty) {
      this.stop('cluster.update', id);
      expectStatus(await api.patch(`/v1/clusters/${id}`, { api: { port: 2380 } }), 202);
    }
    for (const id of single) {
      this.stop('node.update', (await fleet.nodes(id))[0]?.id);
      expectStatus(await api.patch(`/v1/clusters/${id}/node-groups/w`, { labels: { tier: 'web' } }), 202);
    }
  }

  /** Rebuilds and reboots empty clusters, each as one task. */
  private async actOnClusters(): Promise<void> {
    for (const { kind, path, body } of clusterActions)
      for (const id of await this.clusters()) {
        this.stop(kind, id);
        expectStatus(await this.harness.api.post(`/v1/clusters/${id}/actions/${path}`, body), 202);
      }
  }

  /** Starts one creation of each kind for each row, and one more that is deleted before it is complete. */
  private async creations(): Promise<void> {
    const { harness } = this;
    const kinds = ['cluster.create', 'node.create', 'container.create'] as const;
    for (const kind of kinds) for (let n = 0; n < EACH; n++) this.stop(kind);
    const unwanted = kinds.map(kind => harness.gate.rule(ruleOf({ kind, reached: 'done' }, this.buildMs)));
    this.superseded = [...unwanted, ...this.superseded];
    const count = EACH + 1;
    for (let n = 0; n < count; n++) {
      expectStatus(await harness.fleet.ask({ conductorGroup: harness.group }, [{ count: 0 }]), 202);
      expectStatus(await harness.api.post('/v1/containers', { name: uniqueName('c'), profile: this.profileId }), 202);
    }
    const groups = `/v1/clusters/${this.cluster}/node-groups`;
    expectStatus(await harness.api.post(groups, { name: 'more', role: 'worker', flavor: small, count }), 202);
  }

  /** Makes one task exhaust its retries and another one back off. */
  private async failures(): Promise<void> {
    const { gate, api } = this.harness;
    const restart = { operation: 'container.restart', call: 'act', resourceId: this.retriesExhausted } as const;
    gate.rule({ ...restart, stop: { at: 'fail', failure: 'permanent' } });
    await api.post(`/v1/containers/${this.retriesExhausted}/actions/restart`);
    const reboot = { operation: 'node.softReboot', call: 'act', resourceId: this.backingOff } as const;
    gate.rule({ ...reboot, stop: { at: 'fail', failure: 'transient' } });
    await api.post(`/v1/nodes/${this.backingOff}/actions/reboot`, { type: 'soft' });
    await this.harness.until(this.retriesExhausted, 'taskFailed');
    await eventually(async () => (await this.failuresOf(this.backingOff)) >= BACK_OFFS, {
      timeoutMs: 20_000,
      everyMs: 100,
      what: 'a long back-off',
    });
  }

  private async failuresOf(resource: string): Promise<number> {
    return (await this.harness.events(resource)).filter(event => factOf(event) === 'taskFailed').length;
  }

  /** Freezes the conductor, so that it does not receive the next requests, and then kills it. */
  private async die(): Promise<void> {
    const { api, victim } = this.harness;
    victim.signal('SIGSTOP');
    const paths = this.superseded.map(
      ({ options, resourceId }) => `/v1/${options.operation.split('.')[0] ?? ''}s/${resourceId}`,
    );
    const unwanted = paths.map(path => api.delete(path));
    const asked = this.open.map(id => api.post(`/v1/nodes/${id}/actions/reboot`, { type: 'hard' }));
    for (const answer of await Promise.all([...unwanted, ...asked])) expectStatus(answer, 202);
    for (const rule of this.rules.values()) if (rule.options.stop.at === 'slow') rule.open();
    await victim.kill();
  }

  private async profile(hostCluster: string): Promise<string> {
    const resources = { cpus: 0.05, memoryMb: 16 };
    const body = { name: uniqueName('p'), image: 'web:1', resources, hostCluster };
    return expectStatus(await this.harness.api.post<ResourceView>('/v1/container-profiles', body), 201).body.id;
  }

  private async container(profile: string, cluster: string): Promise<string> {
    const body = { name: uniqueName('web'), profile, cluster };
    return (await this.harness.api.succeed(this.harness.api.post<ContainerView>('/v1/containers', body))).id;
  }
}
