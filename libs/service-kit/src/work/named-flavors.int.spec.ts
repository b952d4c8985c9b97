import { callSubject, RefusedError, type CallRequest, type ServiceReply } from '@stave/contracts';
import { RingView, slotOf } from '@stave/domain';
import { MemoryMessaging } from '@stave/platform';
import { NamedFlavors } from './named-flavors.js';

const question = {
  name: 'large',
  clusterId: 'c1',
  projectId: 'p1',
  routing: { group: '', driver: 'heat', version: '1.0.0' },
  options: { region: 'a' },
};

describe('a flavor by its name', () => {
  const messaging = new MemoryMessaging();
  const received: unknown[] = [];
  let view: RingView;
  let reply: ServiceReply<unknown>;
  afterAll(() => messaging.close());

  beforeAll(() => {
    view = new RingView();
    const member = { conductor: 'one', session: 's', group: '', weight: 1, release: '1.0.0' };
    const drivers = [{ name: 'heat', version: '1.0.0', manifest: { name: 'heat', namedFlavors: true } }];
    view.apply({ type: 'ConductorJoined', data: { ...member, keyMode: 'group', kind: 'conductor', drivers } }, 0);
    messaging.serve(callSubject(view.tokenOf(view.keyFor('', 'heat')), slotOf('c1')), 'test', async payload => {
      received.push((payload as CallRequest).spec);
      return reply;
    });
  });
  beforeEach(() => void received.splice(0));

  const projects = { read: async (projectId: string) => ({ projectId, projectName: 'shop' }) };
  const ask = (asked = question) => new NamedFlavors({ view }, messaging, projects).forRequest().sizesOf(asked);
  const failure = (code: string, kind: 'internal' | 'unavailable' | 'capacity'): ServiceReply<unknown> => ({
    ok: false,
    error: { code, kind, detail: 'the cloud said so' },
  });

  it('is asked for with the id and the name of the project, once in each request', async () => {
    reply = { ok: true, data: { name: 'large', cpus: 8, memoryMb: 16_384, diskGb: 80, id: 'not shown' } };
    const answers = new NamedFlavors({ view }, messaging, projects).forRequest();
    expect(answers.isUsed).toBe(false);
    const found = await Promise.all([answers.sizesOf(question), answers.sizesOf({ ...question })]);
    const large = { name: 'large', cpus: 8, memoryMb: 16_384, diskGb: 80 };
    expect(found).toEqual([large, large]);
    expect(answers.isUsed).toBe(true);
    const { name, options } = question;
    expect(received).toEqual([{ id: 'c1', generation: 0, name, project: ['p1', 'shop'], options }]);
  });

  it('is undefined where the infrastructure has none of this name', async () => {
    reply = failure('flavor-unknown', 'internal');
    expect(await ask()).toBeUndefined();
  });

  it.each([
    ['the cloud does not answer', failure('driver-transient', 'unavailable'), 'driver-transient'],
    ['the project has no cloud', failure('driver-internal', 'internal'), 'flavor-unresolved'],
    ['the answer has no sizes', { ok: true, data: { name: 'large' } } as const, 'flavor-unresolved'],
    ['the answer has a size of 0', { ok: true, data: { cpus: 0, memoryMb: 1 } } as const, 'flavor-unresolved'],
    ['there is no answer', { ok: true, data: undefined } as const, 'flavor-unresolved'],
  ])('is refused with 503 where %s', async (_what, answer, code) => {
    reply = answer;
    await expect(ask()).rejects.toMatchObject({ error: { code, kind: 'unavailable' } });
  });

  it.each([
    ['no conductor offers the driver', { ...question.routing, group: 'elsewhere' }, 'c1'],
    ['the conductor does not listen', question.routing, 'c2'],
  ])('is refused with 503 where %s', async (_what, routing, clusterId) => {
    const refused = ask({ ...question, routing, clusterId });
    await expect(refused).rejects.toBeInstanceOf(RefusedError);
    await expect(refused).rejects.toMatchObject({ error: { code: 'no-conductor', kind: 'unavailable' } });
  });
});
