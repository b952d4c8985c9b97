import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient, ContainerResource, NodeResource } from './api-client.js';
import type { Infrastructure } from './infrastructure.js';

/** Work that the members of a set have to do together, in CPUs. */
export interface WorkLoad {
  /** What the members run. */
  readonly contents: Readonly<Record<string, unknown>>;
  /** Options of the cluster that the load needs. */
  readonly clusterOptions: Readonly<Record<string, unknown>>;
  set(cpuCores: number): Promise<void>;
  close(): Promise<void>;
}

interface Member extends ContainerResource {
  readonly ports: readonly { readonly hostPort?: number }[];
}

const LOOPS = 100_000;
const MOST_UNDER_WAY = 4;
const MEMBERS_READ_EVERY_MS = 1_000;
/** A web server whose page costs CPU time, and answers how much of it: the first line of `times`. */
const server = [
  'mkdir -p /w/cgi-bin',
  `printf '#!/bin/sh\\ni=0; while [ $i -lt ${LOOPS} ]; do i=$((i+1)); done; echo "Content-Type: text/plain"; echo; times\\n' >/w/cgi-bin/work`,
  'chmod +x /w/cgi-bin/work',
  'exec httpd -f -p 80 -h /w',
].join('; ');

/** Returns the load of the driver: simulated by the fake cloud, real requests over host ports on Docker. */
export function workLoadOn({ driver }: Infrastructure, api: ApiClient, set: string, cluster: string): WorkLoad {
  return driver === 'fake' ? new SimulatedLoad(api, cluster) : new RequestLoad(api, set);
}

class SimulatedLoad implements WorkLoad {
  readonly contents = { labels: { load: 'web' } };
  readonly clusterOptions = { load: { web: { cpuCores: 0 } } };

  constructor(
    private readonly api: ApiClient,
    private readonly cluster: string,
  ) {}

  async set(cpuCores: number): Promise<void> {
    const { operationId } = await this.api.patch<{ readonly operationId?: string }>(`/v1/clusters/${this.cluster}`, {
      options: { load: { web: { cpuCores } } },
    });
    if (operationId !== undefined) await this.api.finished(operationId);
  }

  async close(): Promise<void> {
    // the load ends with the cluster
  }
}

/** Sends requests to the members in turn, as many as cost the wanted CPU time. */
class RequestLoad implements WorkLoad {
  readonly contents = {
    command: ['sh', '-c', server],
    ports: [{ containerPort: 80, hostPort: 0 }],
    stopGraceSeconds: 1,
  };
  readonly clusterOptions = {};
  private readonly life = new AbortController();
  private readonly underWay = new Map<string, number>();
  private readonly sending: Promise<void>;
  private cpuCores = 0;
  /** The CPU time of a request in milliseconds, as the members answer it. */
  private costMs = 50;
  private targets: readonly string[] = [];
  private turn = 0;

  constructor(
    private readonly api: ApiClient,
    private readonly containerSet: string,
  ) {
    this.sending = this.send();
  }

  async set(cpuCores: number): Promise<void> {
    this.cpuCores = cpuCores;
  }

  async close(): Promise<void> {
    this.life.abort();
    await this.sending;
  }

  private async send(): Promise<void> {
    let readAt = 0;
    while (!this.life.signal.aborted) {
      if (this.cpuCores > 0 && performance.now() - readAt > MEMBERS_READ_EVERY_MS) {
        readAt = performance.now();
        this.targets = await this.members();
      }
      const target = this.targets[(this.turn += 1) % this.targets.length];
      if (this.cpuCores > 0 && target !== undefined) void this.request(target);
      await pause(this.cpuCores > 0 ? this.costMs / this.cpuCores : 100);
    }
  }

  /** Returns the addresses of the members that run. */
  private async members(): Promise<readonly string[]> {
    const nodes = await this.api.list<NodeResource>('/v1/nodes?limit=100');
    const members = await this.api.list<Member>(`/v1/containers?setId=${this.containerSet}&status=ACTIVE`);
    return members.flatMap(({ nodeId, ports: [port] }) => {
      const address = nodes.find(({ id }) => id === nodeId)?.addresses[0];
      return address === undefined || port?.hostPort === undefined ? [] : [`${address}:${port.hostPort}`];
    });
  }

  /** A member that has too much to do, has just started or is leaving is passed over, as by a load balancer. */
  private async request(target: string): Promise<void> {
    const count = this.underWay.get(target) ?? 0;
    if (count >= MOST_UNDER_WAY) return;
    this.underWay.set(target, count + 1);
    const text = await fetch(`http://${target}/cgi-bin/work`, { signal: this.life.signal }).then(
      answer => answer.text(),
      () => '',
    );
    this.underWay.set(target, (this.underWay.get(target) ?? 1) - 1);
    const seconds = [...(text.split('\n')[0] ?? '').matchAll(/(\d+)m([\d.]+)s/g)].map(
      ([, m, s]) => Number(m) * 60 + Number(s),
    );
    const costMs = seconds.reduce((sum, each) => sum + each, 0) * 1000;
    if (costMs > 0) this.costMs += (costMs - this.costMs) / 4;
  }
}
