import { eventually } from '@stave/platform/testing';
import { append, caughtUp, claimOf, join, replica, store } from './task-board.fixture.js';

const types = async (id: string): Promise<readonly string[]> =>
  (await store.readStream(`job-${id}`)).map(({ type }) => type);

describe('tasks whose conductors die', () => {
  type Replica = Awaited<ReturnType<typeof replica>>;

  /** A new conductor claims what it gets, and returns the resources of its tasks. */
  const claimed = async (r: Replica, conductor: string): Promise<string[]> => {
    await join(conductor);
    await caughtUp(r.feed);
    return (await r.board.claim(claimOf(r.ring, conductor))).tasks.map(({ resource }) => resource.id);
  };
  const dies = async (r: Replica, conductor: string): Promise<void> => {
    await append('conductorRing', 'ConductorExpired', { conductor, session: `${conductor}-s` });
    await caughtUp(r.feed);
  };
  const done = async (r: Replica, conductor: string, id: string): Promise<void> => {
    const [claim] = (await store.readStream(`job-${id}`)).filter(e => e.type === 'TaskClaimed').slice(-1);
    const { taskId, attempt } = claim?.data as { taskId: string; attempt: number };
    await r.board.report({
      taskId,
      attempt,
      conductor,
      session: `${conductor}-s`,
      resource: { type: 'node', id, generation: 1 },
      outcome: { type: 'done', kind: 'node.delete', result: {} },
    });
    await caughtUp(r.feed);
  };

  it('a task that ends four conductors fails at the death of the last one, with the lines that were recovered', async () => {
    await append('job-n1', 'Wanted', { id: 'n1' });
    const [r, other] = [await replica(), await replica()];
    for (const conductor of ['a', 'b', 'c']) {
      expect(await claimed(r, conductor)).toEqual(['n1']);
      await dies(r, conductor);
    }
    expect(await claimed(r, 'd')).toEqual(['n1']);
    const [first] = await store.readStream('job-n1', { from: 1 });
    const { taskId } = first?.data as { taskId: string };
    const resource = { type: 'node', id: 'n1', generation: 1 } as const;
    const lines = ['x'.repeat(1_000), ...Array.from({ length: 20 }, (_, i) => `line ${i}`)];
    await r.board.lost.recovered({ attempts: [{ taskId, attempt: 4, resource, conductor: 'd', lines }] });
    await caughtUp(other.feed);
    await dies(r, 'd');
    await eventually(async () => (await types('n1')).at(-1) === 'TaskFailed', 'the end of the task');
    const events = await store.readStream('job-n1');
    const recovered = events.find(({ type }) => type === 'TaskLogRecovered')?.data as { lines: string[] };
    expect(recovered.lines).toHaveLength(10);
    expect(events.at(-1)?.data).toMatchObject({
      failure: 'permanent',
      code: 'conductor-lost-repeatedly',
      message: expect.stringMatching(/^4 conductors in a row ended .*line 17 \| line 18 \| line 19$/),
    });
    expect(await claimed(r, 'e')).toEqual([]);
    expect((await types('n1')).filter(type => type === 'TaskFailed')).toHaveLength(1);
  });

  it('a replica that was down at the death of the last conductor ends the task when it starts', async () => {
    await append('job-n1', 'Wanted', { id: 'n1' });
    const r = await replica();
    for (const conductor of ['a', 'b', 'c', 'd']) {
      await claimed(r, conductor);
      if (conductor !== 'd') await dies(r, conductor);
    }
    await r.feed.close();
    await append('conductorRing', 'ConductorExpired', { conductor: 'd', session: 'd-s' });
    await replica();
    await eventually(async () => (await types('n1')).at(-1) === 'TaskFailed', 'the end of the task');
  });

  it('tasks that died beside another are run one at a time afterwards, and those that survive are not blamed', async () => {
    for (const id of ['n1', 'n2', 'n3']) await append(`job-${id}`, 'Wanted', { id });
    const r = await replica();
    for (const conductor of ['a', 'b']) {
      expect(await claimed(r, conductor)).toHaveLength(3);
      await dies(r, conductor);
    }
    // the task of n2 ends every conductor, the others do not
    let conductors = 0;
    for (;;) {
      const conductor = `c${conductors++}`;
      let [id, ...others] = await claimed(r, conductor);
      while (id !== undefined && id !== 'n2') {
        expect(others).toEqual([]);
        await done(r, conductor, id);
        [id, ...others] = (await r.board.claim(claimOf(r.ring, conductor))).tasks.map(({ resource }) => resource.id);
      }
      if (id === undefined) break;
      await dies(r, conductor);
      if (conductors === 2) await eventually(async () => (await types('n2')).at(-1) === 'TaskFailed', 'the end of n2');
    }
    expect(conductors).toBe(3);
    expect((await types('n1')).at(-1)).toBe('TaskCompleted');
    expect((await types('n3')).at(-1)).toBe('TaskCompleted');
  });
});
