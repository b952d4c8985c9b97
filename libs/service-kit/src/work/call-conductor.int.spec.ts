import { callSubject, type CallRequest, type ServedCallKind } from '@stave/contracts';
import { RingView, slotOf } from '@stave/domain';
import type { DriverCall } from '@stave/driver-sdk';
import { MemoryMessaging } from '@stave/platform';
import { callConductor } from './call-conductor.js';

const reference = { id: 'r', clusterId: 'c', generation: 1, options: {} };
const calls: readonly DriverCall<Checked>[] = [
  { kind: 'cluster.credentials', spec: reference },
  {
    kind: 'nodeGroup.removalOrder',
    spec: { ...reference, nodeGroup: { id: 'r', name: 'w' }, count: 1, nodes: [] },
  },
  { kind: 'container.logs', spec: { ...reference, nodeId: 'n', tail: 10 } },
  { kind: 'container.followLogs', spec: { ...reference, nodeId: 'n', tail: 10 } },
  { kind: 'container.stats', spec: { ...reference, nodeId: 'n' } },
];

type Checked = Exclude<ServedCallKind, 'node.expectedCapacity' | 'cluster.flavor'>;

const needed: Readonly<Record<Checked, string>> = {
  'nodeGroup.removalOrder': 'scale',
  'cluster.credentials': 'credentials',
  'container.logs': 'containerLogs',
  'container.followLogs': 'containerLogs',
  'container.stats': 'containerStats',
};

describe('a call of a driver', () => {
  const messaging = new MemoryMessaging();
  const received: string[] = [];
  let ring: RingView;
  afterAll(() => messaging.close());

  function offer(capabilities: readonly string[]): void {
    ring = new RingView();
    const member = { conductor: 'one', session: 's', group: '', weight: 1, release: '1.0.0' };
    const manifest = { name: 'fake', capabilities };
    const drivers = [{ name: 'fake', version: '1.0.0', manifest }];
    const data = { ...member, keyMode: 'group', kind: 'conductor', drivers } as const;
    ring.apply({ type: 'ConductorJoined', data }, 0);
  }
  const ask = (call: DriverCall<Checked>): Promise<unknown> =>
    callConductor({ view: ring }, messaging, {
      resourceId: 'r',
      description: 'this resource',
      routing: { group: '', driver: 'fake', version: '1.0.0' },
      call,
      timeoutMs: 1_000,
    });

  beforeAll(() => {
    offer([]);
    messaging.serve(callSubject(ring.tokenOf(ring.keyFor('', 'fake')), slotOf('r')), 'test', async payload => {
      received.push((payload as CallRequest).kind);
      return { ok: true, data: {} };
    });
  });
  beforeEach(() => void received.splice(0));

  it.each(calls.map(call => [call.kind, call] as const))(
    '%s is refused at once unless the manifest names the capability',
    async (kind, call) => {
      offer(Object.values(needed).filter(capability => capability !== needed[kind]));
      await expect(ask(call)).rejects.toMatchObject({ error: { code: 'unsupported', kind: 'unsupported' } });
      expect(received).toEqual([]);
      offer([needed[kind]]);
      await ask(call);
      expect(received).toEqual([kind]);
    },
  );
});
