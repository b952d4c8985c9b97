import type { TaskOutcome } from '../task/decide-task.js';
import { doneOf } from '../task/task-outcomes.fixture.js';
import {
  awaitsRecheck,
  cancelMachineOperation,
  claimMachine,
  cleanByRequest,
  cleanMachine,
  deleteMachine,
  drainMachine,
  recheckMachine,
  refuseMachine,
  registerMachine,
  releaseMachine,
  resumeMachine,
  updateMachine,
  type MachineState,
  type MachineTaskKind,
} from './index.js';
import {
  operation,
  eventsOf,
  summary,
  after,
  created,
  report,
  failure,
  probed,
  registered,
  claim,
  claimed,
  cleaning,
  dirty,
} from './machine.fixture.js';

describe('the registration of a machine', () => {
  it('ends when the engine was examined and no other machine has it', () => {
    const known = probed(created());
    expect(known).toMatchObject({ registered: false, status: 'UNREACHABLE', probe: { engineId: 'engine-1' } });
    expect(summary(registerMachine(known))).toEqual(['MachineRegistered', 'OperationEnded']);
    expect(registered()).toMatchObject({ registered: true, status: 'AVAILABLE', operations: [] });
    expect(registered().statusReason).toBeUndefined();
    expect(summary(registerMachine(registered()))).toEqual([]);
  });

  it('registers nothing where the engine does not answer or cannot be used, and does not wait for retries', () => {
    const ends = (outcome: TaskOutcome<MachineTaskKind>, retryAt?: string) => {
      const events = eventsOf(report(created(), outcome, retryAt));
      return [after(created(), { ok: true, events }).deleted, events.at(-1)?.data];
    };
    const failed = (code: string) => [
      true,
      expect.objectContaining({ status: 'FAILED', error: { code, detail: 'no answer' } }),
    ];
    expect(ends(failure('engine-unreachable'), '2026-01-01T00:00:01.000Z')).toEqual(failed('engine-unreachable'));
    expect(ends(failure('engine-unsuitable', 'permanent'))).toEqual(failed('engine-unsuitable'));
    expect(ends(failure())).toEqual(failed('engine-unreachable'));
    expect(ends(failure(undefined, 'permanent'))).toEqual(failed('engine-unsuitable'));
    const retried = report(created(), failure('busy-now'), '2026-01-01T00:00:01.000Z');
    expect(summary(retried)).toEqual(['TaskFailed']);
  });

  it('is refused where another machine has the engine under another URL', () => {
    const known = probed(created());
    const refused = eventsOf(refuseMachine(known, 'taken'));
    expect(refused.at(-1)).toMatchObject({ data: { status: 'FAILED', error: { code: 'engine-taken' } } });
    expect(after(known, refuseMachine(known, 'taken')).deleted).toBe(true);
    expect(summary(refuseMachine(registered(), 'taken'))).toEqual([]);
  });
});

describe('the claim of a machine', () => {
  it('is one node only, until the machine is released', () => {
    expect(claimed()).toMatchObject({ status: 'CLAIMED', claim });
    expect(summary(claimMachine(claimed(), claim))).toEqual([]);
    expect(summary(claimMachine(claimed(), { ...claim, nodeId: 'n2' }))).toBe('machine-not-available');
    expect(summary(claimMachine(created(), claim))).toBe('machine-not-available');
    expect(summary(releaseMachine(claimed(), 'n2'))).toEqual([]);
    const free = after(claimed(), releaseMachine(claimed(), 'n1'));
    expect(free).toMatchObject({ status: 'AVAILABLE', work: {} });
    expect(free.claim).toBeUndefined();
  });

  it('ends with a cleaning, after which the machine is available or in quarantine with the reason', () => {
    expect(cleaning()).toMatchObject({ status: 'CLEANING', work: { wanted: { kind: 'machine.clean' } } });
    expect(summary(cleanMachine(cleaning(), 'n1'))).toEqual([]);
    expect(summary(cleanMachine(claimed(), 'n2'))).toEqual([]);
    const clean = report(cleaning(), doneOf('machine.clean'));
    expect(summary(clean)).toEqual(['TaskCompleted', 'MachineReleased']);
    expect(after(cleaning(), clean)).toMatchObject({ status: 'AVAILABLE' });
    // the step of the operation has failed, too
    expect(summary(report(cleaning(), dirty))).toEqual(['TaskFailed', 'MachineQuarantined']);
    expect(eventsOf(report(cleaning(), dirty, '2026-01-01T00:00:01.000Z'))[0]?.data).toMatchObject({
      code: 'machine-not-clean',
    });
    expect(eventsOf(report(cleaning(), dirty, '2026-01-01T00:00:01.000Z'))[0]?.data).not.toHaveProperty('retryAt');
    const left = after(cleaning(), report(cleaning(), dirty));
    expect(left).toMatchObject({ status: 'QUARANTINED', statusReason: expect.stringContaining('volumes left: left') });
    expect(left.claim).toBeUndefined();
    expect(summary(claimMachine(left, claim))).toBe('machine-not-available');
  });

  it('a machine that cannot be cleaned is in quarantine, one that does not answer unreachable, and examined again', () => {
    const broken = after(cleaning(), report(cleaning(), failure(undefined, 'permanent')));
    expect(broken).toMatchObject({ status: 'QUARANTINED', statusReason: 'no answer' });
    expect(summary(report(cleaning(), failure('engine-unreachable'), '2026-01-01T00:00:01.000Z'))).toEqual([
      'TaskFailed',
    ]);
    const lost = after(cleaning(), report(cleaning(), failure('engine-unreachable')));
    expect(lost).toMatchObject({ status: 'UNREACHABLE', statusReason: 'no answer' });
    expect(awaitsRecheck(lost)).toBe(true);
    const again = after(lost, recheckMachine(lost));
    expect(again).toMatchObject({ status: 'UNREACHABLE', work: { wanted: { kind: 'machine.clean' } } });
    expect(awaitsRecheck(again)).toBe(false);
    expect(summary(report(again, failure('engine-unreachable')))).toEqual(['TaskFailed']);
    expect(after(again, report(again, doneOf('machine.clean')))).toMatchObject({ status: 'AVAILABLE' });
  });
});

describe('changes of a machine by its operator', () => {
  it('labels, zone and region change at any time, the conductor group not while it belongs to a node', () => {
    const moved = after(
      claimed(),
      updateMachine(claimed(), { labels: { rack: null, row: '2' }, zone: null, region: 'eu' }),
    );
    expect(moved).toMatchObject({ labels: { row: '2' }, zone: null, region: 'eu', revision: 2 });
    expect(summary(updateMachine(claimed(), { conductorGroup: 'b' }))).toBe('machine-claimed');
    expect(summary(updateMachine(cleaning(), { conductorGroup: 'b' }))).toBe('machine-claimed');
    expect(after(registered(), updateMachine(registered(), { conductorGroup: 'b' })).conductorGroup).toBe('b');
    expect(summary(updateMachine(registered(), { zone: 'a', conductorGroup: null }))).toEqual([]);
    expect(summary(updateMachine(registered(), { zone: 'b' }, 7))).toBe('revision-mismatch');
    expect(summary(updateMachine(created(), { zone: 'b' }))).toBe('busy');
  });

  it('a drain ends at once for a machine without a node, else when its node has moved and it is clean', () => {
    const drain = (state: MachineState) => drainMachine(state, { operation: operation('op1') });
    const free = after(registered(), drain(registered()));
    expect(free).toMatchObject({ status: 'MAINTENANCE', operations: [] });
    expect(summary(claimMachine(free, claim))).toBe('machine-not-available');
    expect(summary(drain(free))).toBe('draining');
    const used = after(claimed(), drain(claimed()));
    expect(used).toMatchObject({ status: 'CLAIMED', draining: true, operations: [{ id: 'op1' }] });
    const over = report(cleaning(used), doneOf('machine.clean'));
    expect(summary(over)).toEqual(['TaskCompleted', 'MachineReleased', 'MachineMaintenanceStarted', 'OperationEnded']);
    expect(after(cleaning(used), over)).toMatchObject({ status: 'MAINTENANCE', operations: [] });
    const unused = releaseMachine(used, 'n1');
    expect(summary(unused)).toEqual(['MachineReleased', 'MachineMaintenanceStarted', 'OperationEnded']);
  });

  it('a drain is cancelled before its node has moved, other operations are not', () => {
    const used = after(claimed(), drainMachine(claimed(), { operation: operation('op1') }));
    expect(summary(cancelMachineOperation(used, 'op1'))).toEqual(['MachineResumed', 'OperationEnded']);
    expect(summary(cancelMachineOperation(registered(), 'op1'))).toBe('operation-ended');
    expect(summary(cancelMachineOperation(created(), 'op0'))).toBe('not-cancellable');
  });

  it('a machine is resumed from maintenance, or before its node has moved', () => {
    const free = after(registered(), drainMachine(registered(), { operation: operation('op1') }));
    expect(after(free, resumeMachine(free, {}))).toMatchObject({ status: 'AVAILABLE', draining: false });
    const used = after(claimed(), drainMachine(claimed(), { operation: operation('op1') }));
    const stopped = resumeMachine(used, {});
    expect(eventsOf(stopped).at(-1)).toMatchObject({ data: { operationId: 'op1', status: 'CANCELLED' } });
    expect(after(used, stopped)).toMatchObject({ status: 'CLAIMED', draining: false });
    expect(summary(resumeMachine(registered(), {}))).toBe('not-in-maintenance');
  });

  it('a machine in quarantine is cleaned by request, which fails while something is left', () => {
    const left = after(cleaning(), report(cleaning(), dirty));
    const clean = (state: MachineState) => cleanByRequest(state, { operation: operation('op2', 'machine.clean') });
    expect(summary(clean(registered()))).toBe('not-quarantined');
    const again = after(left, clean(left));
    expect(again).toMatchObject({ status: 'CLEANING', work: { wanted: { operationId: 'op2' } } });
    expect(eventsOf(report(again, dirty)).at(-1)).toMatchObject({
      data: { operationId: 'op2', status: 'FAILED', error: { code: 'machine-not-clean' } },
    });
    const done = report(again, doneOf('machine.clean'));
    expect(eventsOf(done).at(-1)).toMatchObject({ data: { operationId: 'op2', status: 'SUCCEEDED' } });
    expect(after(again, done).status).toBe('AVAILABLE');
  });

  it('a machine is deleted unless it belongs to a node', () => {
    expect(summary(deleteMachine(claimed(), {}))).toBe('machine-claimed');
    expect(summary(deleteMachine(cleaning(), {}))).toBe('machine-claimed');
    expect(summary(deleteMachine(created(), {}))).toBe('busy');
    const gone = after(registered(), deleteMachine(registered(), {}));
    expect(gone.deleted).toBe(true);
    expect(summary(deleteMachine(gone, {}))).toBe('not-found');
  });
});
