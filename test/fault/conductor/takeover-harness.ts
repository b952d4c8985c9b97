import { eventually, StaveClient, type EventuallyOptions } from '@stave/testing';
import type { DistributedStack, ManagedProcess } from '../../distributed/stack.js';
import { Fleet } from '../../e2e/fleet.js';
import { factOf, textIn, type HistoryEvent } from '../history.js';
import { eventsOf } from '../read-history.js';
import { CloudGate } from './cloud-gate.js';
import type { GateRule } from './gate-rule.js';

/** The conductors rebuild and reboot clusters as one task each. */
const actions = { FAKE_CLUSTER_ACTIONS: 'true' };

/**
 * Two conductors of one group: a victim that reaches the fake cloud through a gate, and later a successor that reaches it
 * directly.
 */
export class TakeoverHarness {
  readonly api: StaveClient;
  readonly fleet: Fleet;

  private constructor(
    readonly stack: DistributedStack,
    readonly group: string,
    readonly gate: CloudGate,
    readonly victim: ManagedProcess,
    /** Milliseconds that the start of the victim took: how busy the machine is. */
    readonly startMs: number,
  ) {
    const { url, adminKey } = stack;
    this.api = new StaveClient(url, adminKey);
    this.fleet = new Fleet({ url, adminKey, close: () => stack.close() });
  }

  static async open(stack: DistributedStack, group: string): Promise<TakeoverHarness> {
    const gate = await CloudGate.open(stack.fakeCloudUrl);
    // the victim holds a call for every row at the same time
    const env = { ...actions, FAKE_CLOUD_URL: gate.url, CONDUCTOR_CONCURRENCY: '128', PROJECT_CONCURRENCY: '128' };
    const begin = performance.now();
    const victim = await stack.addConductor({ id: `${group}-victim`, group, env });
    return new TakeoverHarness(stack, group, gate, victim, performance.now() - begin);
  }

  get successorId(): string {
    return `${this.group}-successor`;
  }

  addSuccessor(): Promise<ManagedProcess> {
    return this.stack.addConductor({ id: this.successorId, group: this.group, env: actions });
  }

  /** Creates a cluster in this conductor group with a group `w` of `count` nodes, and waits until all of them are active. */
  async cluster(count: number): Promise<string> {
    return (await this.fleet.cluster({ conductorGroup: this.group }, [{ count }])).id;
  }

  events(resource?: string): Promise<readonly HistoryEvent[]> {
    return eventsOf(this.stack.rest, resource);
  }

  /** Returns the conductors that claimed a task of this resource, in order. */
  async holders(resource: string): Promise<readonly string[]> {
    const claims = (await this.events(resource)).filter(event => factOf(event) === 'taskClaimed');
    return claims.map(event => textIn(event, 'conductor'));
  }

  /** Waits until every rule holds a call. */
  async reached(rules: readonly GateRule[]): Promise<void> {
    const open = (): string[] => rules.filter(rule => !rule.reached).map(({ options }) => JSON.stringify(options));
    await eventually(() => open().length === 0, { timeoutMs: 30_000, what: 'every call at its gate' }).catch(
      (cause: unknown) => {
        throw new Error(`no call arrived for these rules: ${open().join('\n')}`, { cause });
      },
    );
  }

  /** Waits for an event of a resource with this fact and returns the last one. */
  until(resource: string, fact: string, options: EventuallyOptions = {}): Promise<HistoryEvent> {
    const found = async (): Promise<HistoryEvent | undefined> =>
      (await this.events(resource)).findLast(event => factOf(event) === fact);
    return eventually(found, { timeoutMs: 30_000, everyMs: 100, what: `${fact} of ${resource}`, ...options });
  }

  async close(): Promise<void> {
    this.gate.close();
    const { processes } = this.stack;
    await Promise.all([this.victim.kill(), processes.get(this.successorId)?.kill()]);
  }
}
