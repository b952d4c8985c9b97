import { seeded, testSeed } from '@stave/platform/testing';
import { describeOn, eventually, ferretMissing, natsMissing, type OperationView } from '@stave/testing';
import type { JournalEntry } from '@stave/driver-fake';
import type { ContainerSetView, ContainerView } from '../../e2e/views.js';
import { checkHistory } from '../check-history.js';
import { factOf, type HistoryEvent } from '../history.js';
import { journalOf } from '../read-history.js';
import { AppendKills } from './append-kills.js';
import { checkBudgets } from './budget-rules.js';
import { LedgerLoad } from './ledger-load.js';
import { LedgerProduct } from './ledger-product.js';
import { checkLoans } from './loan-rules.js';
import { checkProposals } from './proposal-rules.js';
import { ledgerRounds } from './ledger.config.js';

const SETTLED_MS = 240_000;

describeOn(natsMissing() ?? ferretMissing(), 'what is lent while replicas are killed in the middle', () => {
  const seed = testSeed();
  const random = seeded(seed);
  let product: LedgerProduct;
  let load: LedgerLoad;
  let kills: AppendKills;

  beforeAll(async () => {
    product = await LedgerProduct.open();
    load = new LedgerLoad(product.client, random);
    await load.prepare();
    kills = new AppendKills(product.stack, random);
    product.store.onAppend(append => kills.seen(append));
    product.store.lateWhen(types => kills.isLate(types));
  }, 240_000);
  afterAll(() => product?.close(), 120_000);

  /** Waits until every operation has ended, every set has its members, and every container runs. */
  async function settled(): Promise<void> {
    await kills.stop();
    const { client } = product;
    const open = (): Promise<readonly OperationView[]> => client.list('/v1/operations?status=PENDING,RUNNING');
    const isSettled = async (): Promise<boolean> => {
      const sets = await client.list<ContainerSetView>('/v1/container-sets');
      const complete = sets.every(
        ({ desired, counts: { available, total } }) => total === desired && available === desired,
      );
      const containers = await client.list<ContainerView>('/v1/containers');
      const isRunning = containers.every(({ status }) => status === 'ACTIVE');
      return complete && isRunning && (await open()).length === 0 && product.store.quietMs > 1_500;
    };
    await eventually(isSettled, { timeoutMs: SETTLED_MS, everyMs: 200, what: 'the end of all work' }).catch(
      async (cause: unknown) => {
        const waiting = (await client.list<ContainerView>('/v1/containers')).filter(c => c.status !== 'ACTIVE');
        throw new Error(`seed ${seed}: ${JSON.stringify([await open(), waiting])}`, { cause });
      },
    );
  }

  /** Returns what is wrong in the settled product. */
  async function wrong(): Promise<readonly unknown[]> {
    const journal = await journalOf(product.stack.journalPath);
    const events = await product.events();
    const loans = checkLoans(events);
    const active = await product.client.list<ContainerView>('/v1/containers');
    return [
      ...loans.broken,
      ...checkBudgets(events).broken,
      ...checkProposals(events).broken,
      ...operationsLeft(events),
      ...differences(loans.held, onNodes(journal)),
      ...active.filter(c => loans.held.get(c.id) !== c.nodeId).map(c => `${c.id} is shown on ${c.nodeId}`),
      ...journal.filter(isRefused).map(({ resourceId, error }) => `the driver refused ${resourceId}: ${error}`),
      ...checkHistory({ events, journal }),
    ];
  }

  it('no port, address, volume or room is lent twice, no budget is broken, and every command ends', async () => {
    for (let round = 1; round <= ledgerRounds(); round++) {
      kills.resume();
      await load.round(round);
      await settled();
      expect({ seed, round, wrong: await wrong() }).toEqual({ seed, round, wrong: [] });
    }
    const events = await product.events();
    const { reserved } = checkLoans(events);
    const { taken } = checkBudgets(events);
    const { answered } = checkProposals(events);
    const shown = {
      ...load.counts,
      ...product.store.counts,
      kills: kills.total,
      after: Object.fromEntries(kills.after),
      reserved,
      taken,
      answered,
    };
    console.info(`STAVE_TEST_SEED=${seed}: ${events.length} events, ${JSON.stringify(shown)}`);
    expect(kills.total).toBeGreaterThan(ledgerRounds());
    for (const [what, times] of Object.entries(reserved)) expect([what, times > 0]).toEqual([what, true]);
  }, 900_000);
});

/** The cloud refuses a port or an address that is taken, which the ledger must not let happen. */
const isRefused = ({ kind, call, error }: JournalEntry): boolean =>
  kind === 'container' && call === 'create' && error === 'capacity';

/** Returns the node of each container by the units of the cloud. */
function onNodes(journal: readonly JournalEntry[]): ReadonlyMap<string, string> {
  const units = new Map<string, { readonly resourceId: string; readonly nodeId: string }>();
  for (const { put = [], gone = [] } of journal) {
    for (const { kind, infrastructureId, resourceId, nodeId = '' } of put)
      if (kind === 'container') units.set(infrastructureId, { resourceId, nodeId });
    for (const unit of gone) units.delete(unit);
  }
  return new Map([...units.values()].map(({ resourceId, nodeId }) => [resourceId, nodeId]));
}

function differences(held: ReadonlyMap<string, string>, there: ReadonlyMap<string, string>): readonly string[] {
  const ids = new Set([...held.keys(), ...there.keys()]);
  return [...ids].flatMap(id =>
    held.get(id) === there.get(id) ? [] : [`${id} is lent on ${held.get(id)} and runs on ${there.get(id)}`],
  );
}

function operationsLeft(events: readonly HistoryEvent[]): readonly string[] {
  const ends = new Map<string, number>();
  const started: string[] = [];
  for (const event of events) {
    const { operation, operationId } = event.data;
    if (typeof operation === 'object' && operation !== null && 'id' in operation) started.push(String(operation.id));
    if (factOf(event) === 'operationEnded') ends.set(String(operationId), (ends.get(String(operationId)) ?? 0) + 1);
  }
  return started.filter(id => ends.get(id) !== 1).map(id => `operation ${id} ended ${ends.get(id) ?? 0} times`);
}
