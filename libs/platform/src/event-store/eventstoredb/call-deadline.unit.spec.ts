import { EventStoreUnavailableError } from '../event-store.port.js';
import { beforeDeadline, CallDeadline } from './call-deadline.js';
import { repeatUntilDeadline } from './repeat-until-deadline.js';

const never = new Promise<never>(() => undefined);

describe('deadline of a call', () => {
  it('is passed to who waits for it, once, and not to who has ended before', () => {
    const deadline = new CallDeadline();
    const heard: string[] = [];
    deadline.onPassed(({ message }) => heard.push(`first: ${message}`));
    const settled = deadline.onPassed(() => heard.push('second'));
    settled();
    expect(deadline.reason).toBeUndefined();
    deadline.pass(new Error('late'));
    deadline.pass(new Error('again'));
    expect(heard).toEqual(['first: late']);
    expect(deadline.reason).toBeDefined();
  });

  it('rejects what did not settle before', async () => {
    const deadline = new CallDeadline();
    const results = [beforeDeadline(Promise.resolve(1), deadline), beforeDeadline(never, deadline)];
    await results[0];
    deadline.pass(new Error('late'));
    expect(await Promise.allSettled(results)).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: new Error('late') },
    ]);
  });

  it('ends an attempt that has no answer, and all repetitions', async () => {
    const options = { closing: new AbortController().signal, isRepeatable: () => true };
    const hanging = repeatUntilDeadline(late => beforeDeadline(never, late), { ...options, deadlineMs: 20 });
    await expect(hanging).rejects.toThrow(EventStoreUnavailableError);
    let attempts = 0;
    const failing = repeatUntilDeadline(
      () => {
        attempts += 1;
        return Promise.reject(new Error('no leader'));
      },
      { ...options, deadlineMs: 300 },
    );
    await expect(failing).rejects.toThrow('within 300 ms; the last error: no leader');
    expect(attempts).toBeGreaterThan(1);
  });
});
