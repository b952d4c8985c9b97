import {
  commandSubject,
  heartbeatReplySubject,
  heartbeatSubject,
  type Heartbeat,
  type HeartbeatReply,
  type LeaveRequest,
  type RegisterRequest,
  type ServiceRequest,
} from '@stave/contracts';
import { MemoryBroker, MemoryMessaging, createLogger } from '@stave/platform';
import { eventually } from '@stave/platform/testing';

import { RingRegistration } from './ring-registration.js';

const HEARTBEAT_MS = 50;
const TIMEOUT_MS = 1_000;

/** What cluster-service does for one member. */
class Registry {
  readonly registered: RegisterRequest[] = [];
  readonly beats: Heartbeat[] = [];
  readonly left: LeaveRequest[] = [];
  status: HeartbeatReply['status'] | 'silent' = 'ok';
  epoch = 3;
  timeoutMs = TIMEOUT_MS;

  constructor(private readonly messaging: MemoryMessaging) {}

  start(): void {
    this.serve('epoch', () => ({ epoch: this.epoch }));
    this.serve('register', (body: RegisterRequest) => {
      this.registered.push(body);
      return { installation: 'i', epoch: ++this.epoch, heartbeatMs: HEARTBEAT_MS, sessionTimeoutMs: this.timeoutMs };
    });
    this.serve('leave', (body: LeaveRequest) => this.left.push(body));
    this.messaging.subscribe(heartbeatSubject, payload => this.beat(payload as Heartbeat));
  }

  private beat(beat: Heartbeat): void {
    this.beats.push(beat);
    if (this.status === 'silent') return;
    const { session, sequence, member } = beat;
    const reply: HeartbeatReply = { session, sequence, status: this.status, epoch: this.epoch };
    this.messaging.publish(heartbeatReplySubject(member), reply);
  }

  private serve<B>(verb: string, handle: (body: B) => unknown): void {
    this.messaging.serve(commandSubject('cluster-service', 'conductor', verb), 'cluster-service', async payload => ({
      ok: true,
      data: handle((payload as ServiceRequest<B>).body),
    }));
  }
}

describe('RingRegistration', () => {
  const broker = new MemoryBroker();
  let [theirs, ours] = [new MemoryMessaging(broker), new MemoryMessaging(broker)];
  let registry: Registry;
  let registration: RingRegistration;

  beforeEach(() => {
    [theirs, ours] = [new MemoryMessaging(broker), new MemoryMessaging(broker)];
    registry = new Registry(theirs);
    const log = createLogger('test', 'silent');
    const ringUser = { release: '1.2.3', keyMode: 'pinned' } as const;
    registration = new RingRegistration({ service: 'nodegroup-service', ringUser, messaging: ours, log });
  });
  afterEach(async () => {
    await registration.stop();
    await ours.close();
    await theirs.close();
  });

  it('a service registers its release and key mode in the ring, sends heartbeats, and leaves', async () => {
    registry.start();
    registration.start();
    await eventually(() => registry.beats.length > (3 * TIMEOUT_MS) / HEARTBEAT_MS, 'heartbeats for three time-outs');
    const [joined, ...more] = registry.registered;
    expect(joined).toMatchObject({ kind: 'service', release: '1.2.3', keyMode: 'pinned', drivers: [], basedOn: 3 });
    expect(joined?.conductor).toMatch(/^nodegroup-service-[0-9a-f-]{36}$/);
    expect(more).toEqual([]);
    expect(new Set(registry.beats.map(({ session }) => session))).toEqual(new Set([joined?.session]));
    await registration.stop();
    expect(registry.left).toEqual([{ conductor: joined?.conductor, session: joined?.session }]);
  });

  it.each(['unknown', 'silent'] as const)(
    'a service registers again when its heartbeats are answered with %s',
    async status => {
      registry.start();
      registration.start();
      await eventually(() => registry.beats.length > 0, 'a heartbeat');
      registry.status = status;
      await eventually(() => registry.registered.length > 1, 'another registration');
      const [first, second] = registry.registered;
      expect(second?.conductor).toBe(first?.conductor);
      expect(second?.session).not.toBe(first?.session);
      expect(second?.basedOn).toBeGreaterThan(first?.basedOn ?? Infinity);
    },
  );

  it('a service registers again at once when a reply says that its session has ended', async () => {
    registry.timeoutMs = 3_600_000;
    registry.start();
    registration.start();
    await eventually(() => registry.beats.length > 0, 'a heartbeat');
    registry.status = 'ended';
    await eventually(() => registry.registered.length > 1, 'another registration');
  });

  it('the registration waits until cluster-service answers', async () => {
    registration.start();
    registry.start();
    await eventually(() => registry.registered.length === 1, 'the registration');
  });

  it('the registration stops at once when no request was answered', async () => {
    registration.start();
    await registration.stop();
    expect(registry.left).toEqual([]);
  });
});
