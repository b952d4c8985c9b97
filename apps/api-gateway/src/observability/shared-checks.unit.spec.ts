import { MemoryBroker, MemoryMessaging } from '@stave/platform';
import { commandSubject } from '@stave/contracts';
import type { EventStreams } from '../events/event-streams.js';
import { Metrics } from './metrics.js';
import { ProbesController } from './probes.controller.js';
import { sharedResult } from './shared-result.js';

describe('what anybody may ask', () => {
  it('is computed once for all who ask at the same time, and again later, also after a failure', async () => {
    const compute = jest.fn(() => Promise.resolve('text'));
    const shared = sharedResult(compute);
    expect(await Promise.all([shared(), shared(), shared()])).toEqual(['text', 'text', 'text']);
    expect(compute).toHaveBeenCalledTimes(1);
    compute.mockRejectedValueOnce(new Error('no'));
    await expect(shared()).rejects.toThrow('no');
    await expect(shared()).resolves.toBe('text');
  });

  it('costs one request to cluster-service and one check of each server', async () => {
    const messaging = new MemoryMessaging(new MemoryBroker());
    let requests = 0;
    messaging.serve(commandSubject('cluster-service', 'conductor', 'list'), 'test', async () => {
      requests += 1;
      return { ok: true, data: { items: [{ load: 3 }] } };
    });
    const metrics = new Metrics({ count: 0 } as EventStreams, messaging);
    const texts = await Promise.all([metrics.text(), metrics.text()]);
    expect(texts[1]).toContain('stave_conductor_load 3');
    expect(requests).toBe(1);

    const ping = jest.fn(() => Promise.resolve());
    const probes = new ProbesController({ ping } as never, { ping } as never, metrics, {});
    const answers = await Promise.all([probes.readyz(), probes.readyz(), probes.readyz()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(ping).toHaveBeenCalledTimes(2);
    metrics.onApplicationShutdown();
    await messaging.close();
  });
});
