import { Module, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import { Conductor } from './conductor.js';
import type { ConductorDependencies } from './conductor.dependencies.js';
import { CallHandler } from './calls/call-handler.js';
import { LogStreams } from './calls/log-streams.js';
import { DriverPool } from './drivers/driver-pool.js';
import { HealthWatch } from './health/health-watch.js';
import { SlotSubscriptions } from './ring/slot-subscriptions.js';
import { SlotTableClient } from './ring/slot-table.client.js';
import { ServiceClient } from './service-client.js';
import { HeartbeatSender } from './session/heartbeat.js';
import { Registrar } from './session/registrar.js';
import { Retirement } from './session/retirement.js';
import { OrphanSweep } from './sweep/orphan-sweep.js';
import { ClaimLoop } from './work/claim-loop.js';
import { Reporter } from './work/reporter.js';
import { ConcurrencyLimiter } from './work/concurrency-limiter.js';
import { TaskRunner } from './work/task-runner.js';

/** One conductor; several of them in one process are several application contexts. */
@Module({})
export class ConductorModule {
  static of(deps: ConductorDependencies): DynamicModule {
    const providers = [...basics(deps), ...ring(deps), ...work(deps), conductor(deps)];
    return { module: ConductorModule, providers, exports: [Conductor] };
  }
}

function basics({ messaging, identity, times, limits, clock, log, drivers, dataDir, env }: ConductorDependencies) {
  const { id } = identity;
  return [
    provide(ServiceClient, [], () => new ServiceClient(messaging, id, times.requestTimeoutMs)),
    provide(ConcurrencyLimiter, [], () => new ConcurrencyLimiter(limits)),
    provide(DriverPool, [], () => new DriverPool({ loaded: drivers, dataDir, env, clock, retry: times.retry, log })),
  ];
}

function ring({ messaging, identity, times, clock, log }: ConductorDependencies) {
  const { id } = identity;
  return [
    provide(
      Registrar,
      [ServiceClient, DriverPool],
      (client: ServiceClient, pool: DriverPool) =>
        new Registrar({ client, identity, offered: pool.offered, clock, times, log }),
    ),
    provide(
      SlotTableClient,
      [ServiceClient],
      (client: ServiceClient) => new SlotTableClient({ messaging, client, conductor: id, clock, times, log }),
    ),
    provide(
      HeartbeatSender,
      [TaskRunner, SlotTableClient],
      (runner: TaskRunner, tables: SlotTableClient) =>
        new HeartbeatSender({
          messaging,
          conductor: id,
          clock,
          log,
          load: () => runner.inFlight,
          onEpoch: epoch => tables.told(epoch),
        }),
    ),
    provide(LogStreams, [], () => new LogStreams(messaging, clock)),
    provide(
      CallHandler,
      [DriverPool, SlotTableClient, LogStreams],
      (drivers: DriverPool, tables: SlotTableClient, logs: LogStreams) =>
        new CallHandler({ drivers, table: () => tables.current, clock, timeoutMs: times.callTimeoutMs, logs }),
    ),
    provide(
      SlotSubscriptions,
      [ClaimLoop, CallHandler, SlotTableClient, LogStreams],
      (claims: ClaimLoop, calls: CallHandler, tables: SlotTableClient, logs: LogStreams) =>
        new SlotSubscriptions(messaging, id, {
          onWork: (token, slot) => claims.hinted(tables.current, token, slot),
          onCall: (payload, token, slot) => calls.handle(payload, token, slot),
          onEnd: () => logs.close(),
        }),
    ),
  ];
}

function work({ messaging, identity, times, clock, log, counters }: ConductorDependencies) {
  const conductor = identity.id;
  return [
    provide(
      Reporter,
      [ServiceClient],
      (client: ServiceClient) => new Reporter({ client, conductor, clock, retry: times.retry, log }),
    ),
    provide(
      TaskRunner,
      [DriverPool, Reporter, ConcurrencyLimiter],
      (pool: DriverPool, reporter: Reporter, room: ConcurrencyLimiter) =>
        new TaskRunner({ drivers: pool, reporter, room, clock, times, counters, log }),
    ),
    provide(
      ClaimLoop,
      [ServiceClient, ConcurrencyLimiter, DriverPool, SlotTableClient, TaskRunner],
      (
        client: ServiceClient,
        room: ConcurrencyLimiter,
        pool: DriverPool,
        tables: SlotTableClient,
        runner: TaskRunner,
      ) =>
        new ClaimLoop({
          client,
          conductor,
          room,
          times,
          log,
          drivers: pool.names,
          table: () => tables.current,
          canRun: (driver, version) => pool.find(driver, version) !== undefined,
          onTask: (session, task) => runner.start(session, task),
          onHeld: (session, held) => runner.settle(session, held),
          onEpoch: epoch => tables.told(epoch),
        }),
    ),
    provide(
      OrphanSweep,
      [ServiceClient],
      (client: ServiceClient) => new OrphanSweep({ client, conductor, clock, times, counters }),
    ),
    provide(
      HealthWatch,
      [ServiceClient, DriverPool, SlotTableClient],
      (client: ServiceClient, drivers: DriverPool, tables: SlotTableClient) =>
        new HealthWatch({ client, messaging, conductor, drivers, table: () => tables.current, clock, times }),
    ),
    provide(
      Retirement,
      [ClaimLoop, TaskRunner, ServiceClient],
      (claims: ClaimLoop, runner: TaskRunner, client: ServiceClient) =>
        new Retirement({ claims, runner, client, conductor, clock, times, log }),
    ),
  ];
}

type Assembly = [
  DriverPool,
  Registrar,
  HeartbeatSender,
  SlotTableClient,
  SlotSubscriptions,
  ClaimLoop,
  TaskRunner,
  OrphanSweep,
  HealthWatch,
  Retirement,
];

function conductor({ messaging, identity, times, clock, log, counters }: ConductorDependencies) {
  const tokens = [
    DriverPool,
    Registrar,
    HeartbeatSender,
    SlotTableClient,
    SlotSubscriptions,
    ClaimLoop,
    TaskRunner,
    OrphanSweep,
    HealthWatch,
    Retirement,
  ];
  return provide(Conductor, tokens, (...parts: Assembly) => {
    const [drivers, registrar, heartbeat, tables, subscriptions, claims, runner, sweep, health, retirement] = parts;
    const ringParts = { registrar, heartbeat, tables, subscriptions };
    const own = { id: identity.id, messaging, counters, clock, times, log };
    return new Conductor({ ...own, ...ringParts, drivers, claims, runner, sweep, health, retirement });
  });
}

function provide<T, A extends unknown[]>(
  token: abstract new (...args: never[]) => T,
  inject: readonly (abstract new (...args: never[]) => unknown)[],
  useFactory: (...args: A) => T,
): FactoryProvider<T> {
  return { provide: token, inject: [...inject], useFactory };
}
