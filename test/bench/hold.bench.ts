import { join } from 'node:path';
import { freePort, StaveClient } from '@stave/testing';
import { Fleet } from '../e2e/fleet.js';
import { EmbeddedStack } from '../e2e/stack.js';
import type { NodeGroupView } from '../e2e/views.js';
import { numberOption } from './bench-options.js';
import { mustBe, report, run, type Figure } from './bench-report.js';
import { worstRequests, type WorstRequest } from './worst-requests.js';

/**
 * `npm run bench -- hold` sends the worst requests to the product in one process and measures how long each of them holds the event loop:
 * nobody else is served meanwhile. `--nodes n` is the size of the fleet, default 2,000. Baseline: a read of one cluster.
 */
const nodes = numberOption(process.argv, '--nodes', 2_000);
const TIMES = 3;

interface Held {
  readonly heldMs: number;
  readonly cpuMs: number;
}

class Probed {
  constructor(
    private readonly api: StaveClient,
    private readonly probeUrl: string,
  ) {}

  /** Returns the shortest of three longest holds: what else the machine and the product did counts least in it. */
  async held({ what, method, path, body, statuses }: WorstRequest): Promise<Held> {
    const all: Held[] = [];
    for (let time = 0; time < TIMES; time++) {
      await this.probe();
      const answer = await this.api.send(method, path, body === undefined ? {} : { body });
      all.push(await this.probe());
      mustBe(statuses.includes(answer.status), `${what}: ${answer.status} ${answer.text.slice(0, 300)}`);
    }
    return all.reduce((least, one) => (one.heldMs < least.heldMs ? one : least));
  }

  private async probe(): Promise<Held> {
    return (await fetch(this.probeUrl)).json() as Promise<Held>;
  }
}

run(async () => {
  const probePort = await freePort();
  const probe = join(__dirname, 'hold-probe.js');
  const stack = await EmbeddedStack.start(undefined, {
    DRIVERS_ENABLED: 'fake',
    CONDUCTOR_GROUPS: '',
    NODE_OPTIONS: `--require ${probe}`,
    HOLD_PROBE_PORT: String(probePort),
  });
  try {
    const fleet = new Fleet(stack);
    const { id: clusterId } = await fleet.api.succeed(fleet.ask({}, [{ count: nodes }]), 600_000);
    const group: NodeGroupView = await fleet.group(clusterId);
    const probed = new Probed(fleet.api, `http://127.0.0.1:${probePort}`);
    const projectAt = new Date().toISOString();
    const requests = worstRequests({ clusterId, groupId: group.id, projectAt });
    const simple = { what: 'one cluster', method: 'GET', path: `/v1/clusters/${clusterId}`, statuses: [200] } as const;
    const baseline = (await probed.held(simple)).heldMs;
    const figures: Figure[] = [];
    for (const request of requests) {
      const { heldMs, cpuMs } = await probed.held(request);
      figures.push({ figure: request.what, value: heldMs, unit: 'ms', target: '<= 200 ms', baseline });
      process.stderr.write(`${heldMs.toFixed(0)} ms held, ${cpuMs.toFixed(0)} ms of CPU: ${request.what}\n`);
    }
    const longest = figures.toSorted((a, b) => b.value - a.value).slice(0, 12);
    report('hold', 'embedded', { nodes, requests: requests.length }, longest);
  } finally {
    await stack.close();
  }
});
