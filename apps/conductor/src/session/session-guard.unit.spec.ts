import { ShiftableClock } from '../testing/shiftable-clock.js';
import { SessionGuard, SessionLostError } from './session-guard.js';

/** A clock that advances only by jumps. */
class StoppedClock extends ShiftableClock {
  private time = 1_000_000;

  override now(): number {
    return this.time;
  }

  override jump(ms: number): void {
    this.time += ms;
  }
}

describe('SessionGuard', () => {
  const clock = new StoppedClock();
  const guard = (): SessionGuard => new SessionGuard(clock, clock.now(), 6_000);

  it('allows changes before its limit and refuses them at the limit', () => {
    const subject = guard();
    clock.jump(5_999);
    expect(() => subject.check()).not.toThrow();
    clock.jump(1);
    expect(() => subject.check()).toThrow(SessionLostError);
  });

  it('counts from the time when the answered message was sent', () => {
    const subject = guard();
    const sentAt = clock.now() + 1_000;
    clock.jump(5_000);
    subject.answered(sentAt);
    clock.jump(1_999);
    expect(subject.isLost()).toBe(false);
    clock.jump(1);
    expect(subject.isLost()).toBe(true);
  });

  it('ignores the answer to an older message', () => {
    const subject = guard();
    const first = clock.now() + 1;
    clock.jump(3_000);
    subject.answered(clock.now());
    subject.answered(first);
    expect(subject.remainingMs).toBe(6_000);
  });

  it('stays lost when the answer to a recent message arrives late', () => {
    const subject = guard();
    clock.jump(6_000);
    subject.answered(clock.now() - 1);
    expect(() => subject.check()).toThrow(SessionLostError);
  });
});
