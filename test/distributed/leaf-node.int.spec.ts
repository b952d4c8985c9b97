import { conductorInbox, serviceInbox } from '@stave/contracts';
import { groupToken } from '@stave/domain';
import { connectNats, type Messaging } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { describeOn, natsProgramMissing } from '@stave/testing';
import { FarNats } from './far-nats.js';

jest.setTimeout(600_000);

const WAIT = { timeoutMs: 60_000 };
const ROUNDS = 2;
/** The control plane sends something fewer times until a leaf node is connected. */
const ANSWERS = 6;

describeOn(natsProgramMissing(), 'a leaf node as the page about far sites configures it', () => {
  let nats: FarNats;
  const closing: Messaging[] = [];
  beforeAll(async () => {
    nats = await FarNats.start();
  });
  afterAll(async () => {
    for (const each of closing) await each.close();
    await nats?.close();
  });

  async function client(options: Parameters<typeof connectNats>[0]): Promise<Messaging> {
    const messaging = await connectNats(options);
    closing.push(messaging);
    return messaging;
  }

  it('connects again whenever its line is cut while it connects, and services are found behind it', async () => {
    const name = 'cluster-service';
    const own = { nkeyFile: nats.seedFile(name), inbox: serviceInbox(name) };
    const service = await client({ servers: nats.hub.url, name, ...own });
    service.serve(`stave.from.*.${name}.conductor.epoch`, name, async () => 'epoch');
    await service.flush();
    const inbox = conductorInbox('site-b');
    const conductor = await client({ servers: nats.leaf.url, name: 'site-b-1', inbox });
    const subject = `stave.from.${groupToken('site-b')}.${name}.conductor.epoch`;
    const ask = () => conductor.request(subject, {}, { timeoutMs: 2_000 });
    expect(await eventually(ask, { ...WAIT, what: 'the service is found' })).toBe('epoch');

    const line = nats.line('site-b');
    line.cut();
    for (let round = 0; round < ROUNDS; round++)
      for (let answers = 1; answers <= ANSWERS; answers++) {
        const { connections } = line;
        // the cut arrives before the leaf node has read what came before it, so that it writes to a connection that is gone
        line.cutAfter(answers, step => nats.leaf.suspended(step));
        const what = `the leaf node tries again after ${line.connections} connections`;
        await eventually(() => line.connections > connections, { ...WAIT, what });
      }
    line.cutAfter(Infinity);
    line.cut();
    expect(await eventually(ask, { ...WAIT, what: 'the service is found again' })).toBe('epoch');
  });
});
