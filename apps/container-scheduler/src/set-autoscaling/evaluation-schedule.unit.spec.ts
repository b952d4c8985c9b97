import { nextEvaluationMs } from '@stave/domain';
import { EvaluationSchedule } from './evaluation-schedule.js';

describe('the schedule of evaluations', () => {
  let now = 1_000_000;
  let called: string[];
  let schedule: EvaluationSchedule;
  beforeEach(() => {
    now = 1_000_000;
    called = [];
    schedule = new EvaluationSchedule(
      (id, dueMs) => {
        called.push(`${id} ${dueMs / 1000}`);
        schedule.plan(id, nextEvaluationMs(id, 15, schedule.doneMs));
      },
      () => now,
    );
  });
  const at = (seconds: number): readonly string[] => {
    now = seconds * 1000;
    schedule.tick();
    return called.splice(0);
  };

  it('calls each id at the instants that follow from it, also those that a late tick finds', () => {
    schedule.plan('a', 1_002_000);
    schedule.plan('b', 1_003_000);
    expect(at(1001)).toEqual([]);
    expect(at(1003.4)).toEqual(['a 1002', 'b 1003']);
    const next = nextEvaluationMs('a', 15, 1_003_000) / 1000;
    expect(at(next - 1).filter(call => call.startsWith('a'))).toEqual([]);
    expect(at(next)).toContain(`a ${next}`);
    expect(at(next + 30).filter(call => call.startsWith('a'))).toEqual([`a ${next + 15}`, `a ${next + 30}`]);
  });

  it('calls an id once where its plan changed, and not any more where it ended', () => {
    schedule.plan('a', 1_002_000);
    schedule.plan('a', 1_004_000);
    schedule.plan('b', 1_002_000);
    schedule.plan('b', undefined);
    expect(at(1003)).toEqual([]);
    expect(at(1004)).toEqual(['a 1004']);
  });

  it('calls each id once after a long pause of the process', () => {
    schedule.plan('a', 1_002_000);
    schedule.plan('b', 1_003_000);
    expect(at(5000)).toEqual(['a 5000', 'b 5000']);
    const next = nextEvaluationMs('a', 15, 5_000_000) / 1000;
    expect(at(next)).toContain(`a ${next}`);
  });

  it('evaluates at the same instants, whenever it is asked', () => {
    for (const id of ['x', 'y', 'z']) {
      const first = nextEvaluationMs(id, 7, 500_000);
      expect(first).toBeGreaterThan(500_000);
      expect(first).toBeLessThanOrEqual(507_000);
      expect(nextEvaluationMs(id, 7, first)).toBe(first + 7_000);
      expect(nextEvaluationMs(id, 7, first + 6_999)).toBe(first + 7_000);
    }
  });
});
