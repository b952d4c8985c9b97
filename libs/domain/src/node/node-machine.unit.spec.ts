import { assignMachine, awaitsMachine, lackMachine } from './node-machine.js';
import { active, declared, fold, remove, then } from './node.fixture.js';
import type { NodeEvent } from './node-events.js';

const waiting: NodeEvent[] = declared.map(event =>
  event.type === 'NodeDeclared' ? { ...event, data: { ...event.data, zone: 'a', machineSelector: {} } } : event,
);
const machine = { machineId: 'm', zone: 'b', region: 'eu' };
const retryAt = '2026-01-01T00:00:01.000Z';

describe('a node that is made of a machine', () => {
  it('waits for one, and gets its zone', () => {
    expect(awaitsMachine(fold(declared))).toBe(false);
    expect(awaitsMachine(fold(waiting))).toBe(true);
    const assigned = fold(then(waiting, s => assignMachine(s, machine)));
    expect(assigned).toMatchObject({ machineId: 'm', declared: { zone: 'b', region: 'eu' } });
    expect(awaitsMachine(assigned)).toBe(false);
    const nowhere = fold(then(waiting, s => assignMachine(s, { machineId: 'm', zone: null, region: null })));
    expect('zone' in nowhere.declared).toBe(false);
  });

  it('takes no second machine, and none when it is removed or needs none', () => {
    const assigned = then(waiting, s => assignMachine(s, machine));
    for (const events of [assigned, then(waiting, remove), active])
      expect(then(events, s => assignMachine(s, { ...machine, machineId: 'other' }))).toEqual(events);
  });

  it('shows that no machine is available, retries, and fails for want of one', () => {
    const late = then(waiting, s => lackMachine(s, { reason: 'none', retryAt }));
    expect(fold(late)).toMatchObject({
      status: 'CREATING',
      statusReason: 'none',
      work: { wanted: { notBefore: retryAt, failures: 1, lastError: { failure: 'capacity', code: 'no-machine' } } },
    });
    const found = fold(then(late, s => assignMachine(s, machine)));
    expect(found.work.wanted).toMatchObject({ failures: 0 });
    expect(found.work.wanted?.notBefore).toBeUndefined();
    expect(found.statusReason).toBeUndefined();
    const failed = then(late, s => lackMachine(s, { reason: 'none' }));
    expect(fold(failed)).toMatchObject({ status: 'FAILED', work: { wanted: { retriesExhausted: true } } });
    expect(awaitsMachine(fold(failed))).toBe(true);
    expect(then(failed, s => lackMachine(s, { reason: 'none', retryAt }))).toEqual(failed);
  });

  it('continues after it has failed for want of a machine as soon as it gets one, and after no other failure', () => {
    const failed = then(waiting, s => lackMachine(s, { reason: 'none' }));
    const found = fold(then(failed, s => assignMachine(s, machine)));
    expect(found).toMatchObject({ status: 'CREATING', machineId: 'm', work: { wanted: { failures: 0 } } });
    expect(found.work.wanted?.retriesExhausted).toBeUndefined();
    expect(found.statusReason).toBeUndefined();
    const other = failed.map(event =>
      event.type === 'TaskFailed' ? { ...event, data: { ...event.data, code: 'no-valid-host' } } : event,
    );
    expect(awaitsMachine(fold(other))).toBe(false);
  });
});
