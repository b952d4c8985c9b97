import { setImmediate as turn } from 'node:timers/promises';
import { oneAfterOther } from './one-after-other.js';
import type { AppendResult } from './event-store.port.js';

describe('appends one after the other', () => {
  let done: string[];
  let answers: Map<string, (result: AppendResult) => void>;
  beforeEach(() => void ([done, answers] = [[], new Map()]));

  const append = (stream: string): Promise<AppendResult> => {
    done.push(`${stream} sent`);
    return new Promise(resolve => answers.set(stream, resolve));
  };
  const to = (stream: string, requires?: () => Promise<unknown>) => ({
    ...{ stream, events: [], expected: 'no_stream' as const },
    ...(requires && { requires }),
  });
  const result = (position: number): AppendResult => ({ revision: 0, position });

  it('what the second one requires begins a turn after the first one was sent, and before it is answered', async () => {
    let hold: () => void = () => undefined;
    const holds = new Promise<void>(resolve => (hold = resolve));
    const check = (): Promise<void> => (done.push('check'), holds);
    const appended = oneAfterOther({ append }, [to('name'), to('cluster', check)]);
    expect(done).toEqual(['name sent']);
    await turn();
    expect(done).toEqual(['name sent', 'check']);
    answers.get('name')?.(result(1));
    await turn();
    expect(done).toEqual(['name sent', 'check']);
    hold();
    await turn();
    expect(done).toEqual(['name sent', 'check', 'cluster sent']);
    answers.get('cluster')?.(result(2));
    expect(await appended).toEqual([result(1), result(2)]);
  });

  it('the first one waits for what it requires itself', async () => {
    const refused = oneAfterOther({ append }, [to('name', () => Promise.reject(new Error('does not hold')))]);
    await expect(refused).rejects.toThrow('does not hold');
    expect(done).toEqual([]);
  });

  it('a refused append is reported, not what the next one required', async () => {
    const check = (): Promise<void> => Promise.reject(new Error('does not hold'));
    const refused = oneAfterOther({ append: () => Promise.reject(new Error('taken')) }, [
      to('name'),
      to('cluster', check),
    ]);
    await expect(refused).rejects.toThrow('taken');
    await turn(); // a rejection that nobody awaits would fail the test
  });
});
