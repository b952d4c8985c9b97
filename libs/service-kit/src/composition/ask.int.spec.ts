import { RefusedError, type ServiceReply } from '@stave/contracts';
import { MemoryBroker, MemoryMessaging } from '@stave/platform';
import { NewerEvents } from '../events/newer-events.js';
import { ask } from './ask.js';

const SUBJECT = 'stave.cmd.cluster-service.cluster.patch';
const newerRelease: ServiceReply = { ok: false, error: new NewerEvents().refusal };

describe('ask', () => {
  let messaging: MemoryMessaging;
  let asked: number;
  beforeEach(() => {
    messaging = new MemoryMessaging(new MemoryBroker());
    asked = 0;
  });
  afterEach(() => messaging.close());

  const replica = (reply: () => ServiceReply): void => {
    messaging.serve(SUBJECT, 'cluster-service', () => {
      asked += 1;
      return Promise.resolve(reply());
    });
  };
  const send = (): Promise<unknown> => ask(messaging, SUBJECT, {}, 10_000);

  it('repeats a request that a replica leaves to those of a newer release until one of them answers', async () => {
    replica(() => (asked < 4 ? newerRelease : { ok: true, data: 'done' }));
    expect(await send()).toEqual({ ok: true, data: 'done' });
    expect(asked).toBe(4);
  });

  it('refuses the request when no replica of a newer release answers', async () => {
    replica(() => newerRelease);
    await expect(send()).rejects.toMatchObject({ error: { code: 'newer-release', retryAfterMs: 1_000 } });
    expect(asked).toBeGreaterThan(4);
  });

  it('does not repeat a request that is refused for another reason', async () => {
    replica(() => ({ ok: false, error: { code: 'busy', kind: 'unavailable', detail: 'busy' } }));
    await expect(send()).rejects.toThrow(RefusedError);
    expect(asked).toBe(1);
  });
});
