import { createLogger, EmbeddedEventStore, MemoryBroker, MemoryDocumentStore, MemoryMessaging } from '@stave/platform';
import { newEvents } from '../resources/new-events.js';
import { ServiceRuntime } from './service-runtime.js';

describe('ServiceRuntime', () => {
  it('says so when an event cannot be handled: what it shows would be wrong from then on', async () => {
    const eventStore = await EmbeddedEventStore.open({ memory: true });
    let fail: (error: unknown) => void = () => undefined;
    const failed = new Promise<unknown>(resolve => (fail = resolve));
    const runtime = new ServiceRuntime({
      eventStore,
      documentStore: new MemoryDocumentStore(),
      messaging: new MemoryMessaging(new MemoryBroker(), { onError: fail }),
      log: createLogger('test', 'silent'),
      service: 'cluster-service',
      operationIdPrefix: 'c',
      onFatal: fail,
    });
    runtime.feed.on('thing', () => {
      throw new Error('a bug');
    });
    await runtime.start();
    const [event] = newEvents('thing-1', -1, [{ type: 'Made', data: {} }], { correlationId: 'c' }, 't');
    if (event) await eventStore.append('thing-1', [event], 'no_stream');
    await expect(failed).resolves.toEqual(new Error('a bug'));
    await runtime.stop();
    await eventStore.close();
  });

  it('shows nothing before its read models have what was in the log at the start', async () => {
    const eventStore = await EmbeddedEventStore.open({ memory: true });
    const broker = new MemoryBroker();
    const fail = jest.fn();
    const runtime = async (): Promise<ServiceRuntime> =>
      new ServiceRuntime({
        eventStore,
        documentStore: new MemoryDocumentStore(),
        messaging: new MemoryMessaging(broker, { onError: fail }),
        log: createLogger('test', 'silent'),
        service: 'cluster-service',
        operationIdPrefix: 'c',
        onFatal: fail,
      });
    const [event] = newEvents('thing-1', -1, [{ type: 'Made', data: {} }], { correlationId: 'c' }, 't');
    if (event) await eventStore.append('thing-1', [event], 'no_stream');
    const [first, second] = [await runtime(), await runtime()];
    await first.start();
    expect(await first.readModels.includes(-1, 2_000)).toBe(true);
    await second.start();
    expect(await second.readModels.includes(-1, 100)).toBe(false);
    await first.stop();
    expect(await second.readModels.includes(-1, 5_000)).toBe(true);
    const [foreign] = newEvents('other-1', -1, [{ type: 'Made', data: {} }], { correlationId: 'c' }, 't');
    if (foreign) await eventStore.append('other-1', [foreign], 'no_stream');
    expect(await second.readModels.includes(await eventStore.head(), 2_000)).toBe(true);
    await second.stop();
    await eventStore.close();
    expect(fail).not.toHaveBeenCalled();
  });
});
