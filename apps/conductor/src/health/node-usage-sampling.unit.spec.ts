import { setImmediate } from 'node:timers/promises';
import { MemoryMessaging } from '@stave/platform';
import { groupUsageSubject, type UsageSamples } from '@stave/contracts';
import type { EngineReservation } from '@stave/driver-sdk';
import type { ConductorContext } from '../conductor.context.js';
import type { OpenDriver } from '../drivers/open-driver.js';
import type { Session } from '../session/session.js';
import { ExpectedUnits } from './expected-units.js';
import { NodeUsageSampling } from './node-usage-sampling.js';

const scope = { conductor: 'one', session: 's', epoch: 1, holdings: [], max: 1_000_000 };

interface Message {
  readonly afterMs: number;
  readonly samples: UsageSamples;
}

const sentIn = (messages: readonly Message[]): number =>
  messages.reduce((sum, { samples }) => sum + samples.nodeIds.length, 0);

/** Samples this many nodes, and returns the messages with the milliseconds after which each was sent. */
async function sampled(count: number, reservedOn: (nodeId: string) => EngineReservation | undefined = () => undefined) {
  const messaging = new MemoryMessaging();
  const messages: Message[] = [];
  let nowMs = 0;
  messaging.subscribe(
    groupUsageSubject('g'),
    samples => void messages.push({ afterMs: nowMs, samples: samples as UsageSamples }),
  );
  const waiting: (() => void)[] = [];
  const after = (ms: number, action: () => void) =>
    waiting.push(() => {
      nowMs += ms;
      action();
    });
  const ids = Array.from({ length: count }, (_, i) => `n${i}`);
  const usage = async () =>
    ['of another', ...ids].map(nodeId => ({ nodeId, cpuCores: 1, memoryMb: 2, reserved: reservedOn(nodeId) }));
  const open = { driver: { monitor: { usage } }, sessionContext: () => ({}), log: {} };
  const own = new ExpectedUnits();
  const units = ids.map(resourceId => ({ resourceId, generation: 1, built: 1, seen: { state: 'running' } as const }));
  await own.refresh(scope, async () => ({ units, position: 1 }));
  const sampling = new NodeUsageSampling(messaging, { groupToken: 'g' } as ConductorContext);
  sampling.sampleAfter(1_000, { after } as unknown as Session, open as unknown as OpenDriver, own);
  for (let turn = 0; turn < 1_000 && (turn === 0 || sentIn(messages) < count); turn += 1) {
    waiting.shift()?.();
    await setImmediate();
  }
  await messaging.close();
  return messages;
}

it('the samples of few nodes are sent together', async () => {
  const messages = await sampled(300);
  expect(messages.map(({ afterMs }) => afterMs)).toEqual([1_000]);
});

it('what engines hold is sent with the samples where it is known, and not at all where no node has any', async () => {
  const held = { cpus: 0.1, memoryMb: 70, daemons: { cpus: 0, memoryMb: 20 } };
  const [message] = await sampled(2, id => (id === 'n1' ? held : undefined));
  expect(message?.samples).toMatchObject({ nodeIds: ['n0', 'n1'], reserved: [null, held] });
  const [without] = await sampled(2);
  expect(without?.samples).not.toHaveProperty('reserved');
});

it.each([
  ['100,000', 100_000],
  ['300,000', 300_000],
])(
  'the samples of %s nodes are spread over ten seconds, so that they are not stale before the next ones',
  async (_what, count) => {
    const messages = await sampled(count);
    expect(sentIn(messages)).toBe(count);
    const times = messages.map(({ afterMs }) => afterMs - 1_000);
    const within = (ms: number): number => times.filter(time => time <= ms).length / times.length;
    expect(times.at(-1)).toBeLessThanOrEqual(10_001);
    expect([within(1_000), within(5_000)].map(share => Math.round(share * 10))).toEqual([1, 5]);
  },
);
