import { aDriverContext } from '@stave/driver-sdk/testing';
import { StackPoller } from './stack-poller.js';
import type { Stack } from './stack.js';

const pace = { firstMs: 1, longestMs: 4, stallMs: 1_000 };
const ctx = aDriverContext();
const stack = (id: string, progress: Stack['progress'] = 'IN_PROGRESS'): Stack => ({
  ...{ id, name: `s-${id}`, action: 'CREATE', progress, reason: '', tags: {} },
});

/** A client whose lists are these, one after the other; the last one again and again. */
function scripted(...lists: readonly (readonly Stack[] | Error)[]) {
  let lists_ = 0;
  let events = 0;
  return {
    lists: () => lists_,
    client: {
      list: async () => {
        const next = lists[Math.min(lists_, lists.length - 1)] ?? [];
        lists_ += 1;
        if (next instanceof Error) throw next;
        return next;
      },
      newestEvent: async (): Promise<string | undefined> => `event-${events}`,
    },
    happen: () => void (events += 1),
  };
}

describe('waiting for stacks', () => {
  it('all stacks of a cluster need one list at a time', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => String(index));
    const running = ids.map(id => stack(id));
    const { client, lists } = scripted(
      running,
      running,
      ids.map(id => stack(id, 'COMPLETE')),
    );
    const poller = new StackPoller(client, { a: 'b' }, pace);
    const results = await Promise.all(running.map(one => poller.wait(aDriverContext(), one)));
    expect(results.every(result => result.kind === 'settled')).toBe(true);
    expect(lists()).toBe(3);
  });

  it('a stack that fails is settled, and one that is not listed is gone', async () => {
    const { client } = scripted([stack('1'), stack('2')], [stack('1', 'FAILED')]);
    const poller = new StackPoller(client, { a: 'b' }, pace);
    const [one, two] = await Promise.all([poller.wait(ctx, stack('1')), poller.wait(ctx, stack('2'))]);
    expect(one).toEqual({ kind: 'settled', stack: stack('1', 'FAILED') });
    expect(two).toEqual({ kind: 'gone' });
  });

  it('a stack in progress is stalled only when no event came in the time', async () => {
    let now = 0;
    const { client, happen } = scripted([stack('1')]);
    let asked = 0;
    const newestEvent = async (): Promise<string | undefined> => {
      asked += 1;
      if (asked < 4) happen();
      return client.newestEvent();
    };
    const clock = (): number => (now += 600);
    const poller = new StackPoller({ ...client, newestEvent }, { a: 'b' }, pace, clock);
    expect(await poller.wait(ctx, stack('1'))).toEqual({ kind: 'stalled', stack: stack('1') });
    expect(asked).toBe(4);
  });

  it('survives four failed lists in a row, and reports the fifth', async () => {
    const lost = new Error('lost');
    const survives = scripted(lost, lost, lost, lost, [stack('1', 'COMPLETE')]);
    expect(await new StackPoller(survives.client, { a: 'b' }, pace).wait(ctx, stack('1'))).toMatchObject({
      kind: 'settled',
    });
    const fails = scripted(lost);
    await expect(new StackPoller(fails.client, { a: 'b' }, pace).wait(ctx, stack('1'))).rejects.toBe(lost);
    expect(fails.lists()).toBe(5);
  });

  it('ends for a signal that fires or has fired, and the others wait on', async () => {
    const { client } = scripted(
      [stack('1'), stack('2')],
      [stack('1'), stack('2')],
      [stack('1'), stack('2', 'COMPLETE')],
    );
    const poller = new StackPoller(client, { a: 'b' }, pace);
    const controller = new AbortController();
    const stopped = poller.wait(aDriverContext({ signal: controller.signal }), stack('1'));
    const other = poller.wait(ctx, stack('2'));
    controller.abort();
    await expect(stopped).rejects.toMatchObject({ failure: 'transient' });
    await expect(poller.wait(aDriverContext({ signal: controller.signal }), stack('1'))).rejects.toMatchObject({
      failure: 'transient',
    });
    expect(await other).toMatchObject({ kind: 'settled' });
  });
});
