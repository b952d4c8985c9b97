import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { eventually } from '@stave/testing';
import type { DistributedStack } from '../../distributed/stack.js';
import { small } from '../../e2e/fleet.js';
import type { NodeView } from '../../e2e/views.js';
import { factOf, textIn } from '../history.js';
import { journalOf } from '../read-history.js';
import { TakeoverHarness } from './takeover-harness.js';
import type { GateRule } from './gate-rule.js';

const PLAIN = 4;

interface ConductorView {
  readonly session: string;
  readonly staleReports: number;
}

/**
 * Freezes a conductor (SIGSTOP) in the middle of its work for longer than its session timeout, then continues it (SIGCONT).
 * Orphans are removed after a grace period; `meanwhile` declares the tests that run until it has passed.
 */
export function describeFrozen(stack: () => DistributedStack, meanwhile: () => void): void {
  describe('a conductor that is frozen for longer than its session lasts', () => {
    let harness: TakeoverHarness;
    let session: string;
    let clusterId: string;
    let rules: Record<'create' | 'orphan' | 'rebuildSent' | 'rebuildBefore' | 'deleteSent' | 'deleteBefore', GateRule>;
    let continuedAt: string;

    const record = (): Promise<ConductorView> => harness.api.read(`/v1/conductors/${harness.victim.name}`);
    const node = (id: string): Promise<NodeView> => harness.api.read(`/v1/nodes/${id}`);
    const rebuild = (id: string) => harness.api.post(`/v1/nodes/${id}/actions/rebuild`);
    const group = (name: string, count: number, options: object = {}) =>
      harness.api.post(`/v1/clusters/${clusterId}/node-groups`, {
        name,
        role: 'worker',
        flavor: small,
        count,
        options,
      });

    beforeAll(async () => {
      harness = await TakeoverHarness.open(stack(), 'frozen');
      clusterId = await harness.cluster(4);
      const { gate, fleet, api } = harness;
      const [rebuilt = '', rebuiltBefore = '', deleted = '', deletedBefore = ''] = (await fleet.nodes(clusterId)).map(
        ({ id }) => id,
      );
      const create = { operation: 'node.create', call: 'create', stop: { at: 'request' } } as const;
      rules = {
        create: gate.rule(create),
        orphan: gate.rule(create),
        rebuildSent: gate.rule({ ...create, operation: 'node.rebuild', call: 'remove', resourceId: rebuilt }),
        rebuildBefore: gate.rule({
          ...{ operation: 'node.rebuild', call: 'create', stop: { at: 'reply' } },
          ...{ resourceId: rebuiltBefore, obstructed: true },
        }),
        deleteSent: gate.rule({ ...create, operation: 'node.delete', call: 'remove', resourceId: deleted }),
        deleteBefore: gate.rule({
          ...{ operation: 'node.delete', call: 'find', stop: { at: 'reply' }, resourceId: deletedBefore },
        }),
      };
      await group('late', 2);
      for (const id of [rebuilt, rebuiltBefore]) await rebuild(id);
      for (const id of [deleted, deletedBefore]) await api.delete(`/v1/nodes/${id}`);
      await harness.reached(Object.values(rules));
      await group('plain', PLAIN, { latencyMs: 1_000 });
      await eventually(async () => (await building(harness)) === PLAIN, { everyMs: 10, what: 'nodes being built' });
      ({ session } = await record());
      harness.victim.signal('SIGSTOP');
      // the awaited answer arrives while the conductor is frozen, so it continues exactly before its delete call
      rules.rebuildBefore.open();
      rules.deleteBefore.open();
      await harness.addSuccessor();
    }, 120_000);

    afterAll(() => harness?.close());

    it('the successor of a frozen conductor finishes all of its work', async () => {
      await eventually(async () => (await sessionsEnded(harness)).includes(session), { what: 'the session has ended' });
      for (const { resourceId } of [rules.deleteSent, rules.deleteBefore]) await harness.until(resourceId, 'deleted');
      for (const { resourceId } of [rules.rebuildSent, rules.rebuildBefore])
        await eventually(async () => (await node(resourceId)).status === 'ACTIVE', { what: 'the node is ACTIVE' });
      await harness.fleet.settled(clusterId, 2 + 2 + PLAIN);
      for (const { resourceId } of Object.values(rules))
        expect((await harness.holders(resourceId)).slice(-2)).toEqual([harness.victim.name, harness.successorId]);
    }, 120_000);

    it('late calls of a frozen conductor change nothing that its successor built', async () => {
      const { api, victim, stack: at } = harness;
      const rebuilt = [rules.rebuildSent.resourceId, rules.rebuildBefore.resourceId];
      for (const id of rebuilt) await api.succeed(rebuild(id));
      await api.succeed(api.delete(`/v1/nodes/${rules.orphan.resourceId}`));
      const kept = [...rebuilt, rules.create.resourceId];
      const before = await Promise.all(kept.map(node));

      const seen = (await journalOf(at.journalPath)).length;
      const late = [rules.create, rules.orphan, rules.rebuildSent, rules.deleteSent];
      for (const rule of late) rule.open();
      const arrived = await eventually(
        async () => {
          const calls = (await journalOf(at.journalPath))
            .slice(seen)
            .filter(each => each.caller.conductor === victim.name);
          return calls.length >= late.length && calls;
        },
        { what: 'the late calls' },
      );
      const effects = arrived.map(({ call, effect = 'nothing' }) => `${call}: ${effect}`).sort();
      expect(effects).toEqual(['create: adopted', 'create: created', 'remove: nothing', 'remove: nothing']);
      continuedAt = new Date().toISOString();
      victim.signal('SIGCONT');
      await eventually(async () => (await record()).session !== session, {
        what: 'the conductor has registered again',
      });
      const infrastructure = (nodes: readonly NodeView[]) => nodes.map(({ infrastructureId }) => infrastructureId);
      expect(infrastructure(await Promise.all(kept.map(node)))).toEqual(infrastructure(before));
    }, 120_000);

    it('reports of a frozen conductor are refused as stale, which the API and the log show', async () => {
      const tasks = Object.keys(rules).length + PLAIN;
      await eventually(async () => (await record()).staleReports >= tasks, { what: `${tasks} stale reports` });
      const file = join(dirname(harness.stack.adminKeyFile), 'logs', 'nodegroup-service.log');
      const refused = async (): Promise<number> => {
        const lines = (await readFile(file, 'utf8')).split('\n').filter(line => line.includes('stale report refused'));
        return lines.filter(line => line.includes(harness.victim.name)).length;
      };
      // the count includes what other services refused
      await eventually(async () => (await refused()) >= tasks, { what: `${tasks} stale reports in the log` });
    }, 120_000);

    it('a frozen conductor makes no further call for the tasks of its expired session', async () => {
      const own = (await harness.events()).filter(
        event => factOf(event) === 'taskClaimed' && textIn(event, 'session') === session,
      );
      const taskIds = new Set(own.map(event => textIn(event, 'taskId')));
      const calls = (await journalOf(harness.stack.journalPath)).filter(
        ({ at, caller }) => at > continuedAt && caller.conductor === harness.victim.name && taskIds.has(caller.taskId),
      );
      expect(calls).toEqual([]);
    });

    meanwhile();

    it('a frozen conductor leaves at most an orphan, which the orphan sweep removes', async () => {
      const { resourceId } = rules.orphan;
      await eventually(
        async () => {
          const journal = await journalOf(harness.stack.journalPath);
          const changes = journal.filter(entry => entry.resourceId === resourceId && entry.effect !== undefined);
          return changes.at(-1)?.effect === 'removed' && changes.at(-1)?.caller.taskId.startsWith('sweep:');
        },
        { timeoutMs: 30_000, everyMs: 200, what: 'the orphan is swept' },
      );
    }, 120_000);
  });
}

async function building({ stack }: TakeoverHarness): Promise<number> {
  const states = new Map<string, string>();
  for (const { kind, put = [] } of await journalOf(stack.journalPath))
    if (kind === 'node') for (const unit of put) states.set(unit.infrastructureId, unit.state);
  return [...states.values()].filter(state => state === 'creating').length;
}

async function sessionsEnded(harness: TakeoverHarness): Promise<readonly string[]> {
  const ended = (await harness.events()).filter(event => factOf(event) === 'conductorExpired');
  return ended.map(event => textIn(event, 'session'));
}
