import {
  DriverError,
  type ContainerLifecycle,
  type ContainerResult,
  type ContainerSpec,
  type ContainerUsage,
  type Driver,
  type DriverApi,
  type DriverContext,
  type DriverOperation,
  type DriverSettings,
  type LoadedDriver,
  type NodeUsage,
  type Unit,
} from '@stave/driver-sdk';

export interface DriverCall {
  readonly method: string;
  readonly id: string;
  readonly ctx: DriverContext;
  /** Of the creation of a container. */
  readonly container?: ContainerSpec;
}

/** Runs a driver call; resolves with members of its result. */
export type CallScript = (call: DriverCall) => Promise<object>;

/** A driver that runs the script of a test and records its calls. */
export class ScriptedDriver {
  readonly calls: DriverCall[] = [];
  readonly removed: Unit[] = [];
  units: Unit[] = [];
  usage: NodeUsage[] = [];
  containerUsage: ContainerUsage[] = [];
  /** The driver's own store, by name. */
  readonly secrets = new Map<string, string>();
  /** What a container wrote. */
  written = '';
  /** Called before each sample of containers. */
  onUsage: () => void = () => undefined;
  /** Called before each list. */
  onList: () => void = () => undefined;
  script: CallScript = async () => ({});
  credentials: (clusterId: string) => Promise<Readonly<Record<string, string>>> = async id => ({ token: `of ${id}` });
  /** What its manifest declares of its own, and what it has of that. */
  operations: readonly DriverOperation[] = [];
  api: DriverApi = {};
  /** The most tasks at a time by its manifest. */
  concurrency: number | undefined;
  failOpenings = 0;
  /** Each opening waits for it. */
  opening: Promise<unknown> = Promise.resolve();
  openedWith: DriverSettings | undefined;
  closed = false;
  running = 0;
  mostRunning = 0;

  constructor(
    readonly name = 'scripted',
    readonly version = '1.0.0',
  ) {}

  loaded(): LoadedDriver {
    const { name, version } = this;
    const engine = { engine: 'none', os: 'none', serverType: 'none' };
    const { operations, concurrency } = this;
    const limit = concurrency === undefined ? {} : { concurrency };
    const declared = { capabilities: [], options: { type: 'object' }, operations, ...limit };
    const manifest = { name, version, sdk: '^1', ...engine, ...declared };
    return { manifest, directory: name, module: { open: settings => this.open(settings) } };
  }

  /** Returns the ids of the resources that a method was called for. */
  idsOf(method: string): string[] {
    return this.calls.filter(call => call.method === method).map(({ id }) => id);
  }

  private async open(settings: DriverSettings): Promise<Driver> {
    if (this.failOpenings-- > 0) throw new Error('the infrastructure is unavailable');
    await this.opening;
    this.openedWith = settings;
    return this.driver();
  }

  /** Only creations run the script. */
  private containers(result: { readonly infrastructureId: string }): ContainerLifecycle {
    const built = async (): Promise<ContainerResult> => result;
    const done = async (): Promise<void> => undefined;
    return {
      create: async (ctx, container) => {
        const call = { method: 'container.create', id: container.id, ctx, container };
        this.calls.push(call);
        return { ...result, ...(await this.script(call)) };
      },
      update: built,
      start: built,
      stop: done,
      restart: built,
      delete: done,
      logs: async () => this.written,
      stats: () => Promise.reject(new DriverError('unsupported', 'there are no statistics')),
    };
  }

  private driver(): Driver {
    const act = async (method: string, ctx: DriverContext, { id }: { readonly id: string }): Promise<object> => {
      const call = { method, id, ctx };
      this.calls.push(call);
      this.mostRunning = Math.max(this.mostRunning, ++this.running);
      return this.script(call).finally(() => this.running--);
    };
    const result = { infrastructureId: 'i-1', endpoints: [], addresses: [], capacity: { cpus: 1, memoryMb: 1 } };
    const built = (method: string) => async (ctx: DriverContext, spec: { readonly id: string }) => ({
      ...result,
      ...(await act(method, ctx, spec)),
    });
    const done = (method: string) => async (ctx: DriverContext, ref: { readonly id: string }) => {
      await act(method, ctx, ref);
    };
    const none = async (): Promise<undefined> => undefined;
    return {
      cluster: {
        create: built('cluster.create'),
        update: built('cluster.update'),
        delete: done('cluster.delete'),
        inspect: none,
        credentials: (_ctx, ref) => this.credentials(ref.id),
      },
      node: {
        create: built('node.create'),
        rebuild: built('node.rebuild'),
        update: built('node.update'),
        softReboot: done('node.softReboot'),
        hardReboot: done('node.hardReboot'),
        drain: done('node.drain'),
        undrain: done('node.undrain'),
        delete: done('node.delete'),
        inspect: none,
      },
      containers: this.containers(result),
      secret: async (_ctx, { name }) => this.secrets.get(name),
      containerUsage: async () => {
        this.onUsage();
        return this.containerUsage;
      },
      monitor: { usage: async () => this.usage },
      api: this.api,
      list: async () => {
        this.onList();
        return this.units;
      },
      remove: async (_ctx, unit) => {
        this.removed.push(unit);
        this.units = this.units.filter(other => other.infrastructureId !== unit.infrastructureId);
      },
      close: async () => {
        this.closed = true;
      },
    };
  }
}

/** A script that runs until the signal fires, as a correct driver call does. */
export const untilAborted: CallScript = ({ ctx }) =>
  new Promise((_resolve, reject) => {
    const fail = (): void => reject(ctx.signal.reason);
    if (ctx.signal.aborted) fail();
    else ctx.signal.addEventListener('abort', fail);
  });
