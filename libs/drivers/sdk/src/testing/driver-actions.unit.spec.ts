import { capabilities, type Driver } from '../driver.js';
import { DriverError } from '../driver-error.js';
import { aDriverContext } from './driver-context.js';
import { callHandlers, dispatchCall, dispatchTask, isTaskKind, taskHandlers } from '../actions/dispatch.js';
import { driverActions, uncoveredMethods, type DriverAction } from './driver-actions.js';
import type { CallKind, DriverTask, TaskKind } from '../actions/task-kinds.js';

const rows: readonly DriverAction[] = driverActions;
const taskKinds = Object.keys(taskHandlers) as TaskKind[];
const callKinds = Object.keys(callHandlers) as CallKind[];
const specApiActions = [
  ...['create', 'update', 'delete', 'rebuild', 'softReboot', 'hardReboot', 'upgrade', 'inspect', 'credentials'].map(
    action => `cluster.${action}`,
  ),
  ...['create', 'update', 'delete', 'rebuild', 'softReboot', 'hardReboot', 'drain', 'undrain', 'inspect'].map(
    action => `node.${action}`,
  ),
  ...['create', 'update', 'start', 'stop', 'restart', 'delete', 'logs', 'followLogs', 'stats'].map(
    action => `container.${action}`,
  ),
  ...['network.create', 'network.delete', 'volume.create', 'volume.delete'],
  ...['machine.probe', 'machine.clean'],
];

describe('The table of driver actions', () => {
  it('the table of driver actions covers every method of the driver interface', () => {
    expect(uncoveredMethods).toEqual([]);
  });

  it('the table of driver actions contains every action of the API once', () => {
    const actions = rows.map(row => row.action);
    expect(new Set(actions).size).toBe(actions.length);
    expect(actions).toEqual(expect.arrayContaining(specApiActions));
  });

  it('the table of driver actions names a service for each action of the API, and only known capabilities', () => {
    for (const row of rows) {
      expect({ row, owned: row.service !== undefined }).toEqual({ row, owned: specApiActions.includes(row.action) });
      expect([undefined, ...capabilities]).toContain(row.capability);
    }
  });

  it('the table of driver actions uses every capability that a driver can declare', () => {
    expect(new Set(rows.map(row => row.capability).filter(Boolean))).toEqual(new Set(capabilities));
  });

  it('the table of driver actions uses every kind of task and of call', () => {
    expect(new Set(rows.map(row => row.task).filter(Boolean))).toEqual(new Set(taskKinds));
    expect(new Set(rows.map(row => row.call).filter(Boolean))).toEqual(new Set(callKinds));
  });
});

describe('Dispatch to driver methods', () => {
  const ctx = aDriverContext();
  const spec = { id: 'r', clusterId: 'c', nodeId: 'n', generation: 1, options: {}, tail: 5 };

  let calls: unknown[] = [];
  beforeEach(() => (calls = []));
  const part = (name: string) =>
    new Proxy(
      {},
      {
        get:
          (_target, method) =>
          async (...args: unknown[]) => {
            calls = [`${name}.${String(method)}`, ...args];
            return calls;
          },
      },
    );
  const parts = { cluster: part('cluster'), node: part('node'), scale: part('scale'), containers: part('containers') };
  const driver = {
    ...parts,
    networks: part('networks'),
    volumes: part('volumes'),
    machines: part('machines'),
    flavor: async (...args: unknown[]) => ['flavor', ...args],
  } as unknown as Driver;

  it.each(taskKinds)('the task %s runs the driver method that the table names', async kind => {
    expect(await dispatchTask(driver, ctx, { kind, spec } as unknown as DriverTask)).toMatchObject({ kind });
    const row = rows.find(candidate => candidate.action === kind && candidate.task === kind);
    expect(calls).toEqual([row?.method, ctx, spec]);
  });

  it.each(callKinds)('the call %s runs the driver method that the table names', async kind => {
    const called: unknown = await dispatchCall(driver, kind, ctx, spec);
    expect(called).toEqual(expect.arrayContaining([rows.find(row => row.call === kind)?.method, ctx]));
  });

  it('container tasks and calls are rejected as unsupported when the driver has no containers', async () => {
    const without = { ...driver, containers: undefined };
    await expect(dispatchTask(without, ctx, { kind: 'container.stop', spec })).rejects.toMatchObject({
      failure: 'unsupported',
    });
    await expect(dispatchCall(without, 'container.logs', ctx, spec)).rejects.toMatchObject({ failure: 'unsupported' });
  });

  it.each(['network', 'volume'] as const)(
    'a task on a %s is rejected as unsupported without the capability',
    async kind => {
      const without = { ...driver, networks: undefined, volumes: undefined };
      await expect(dispatchTask(without, ctx, { kind: `${kind}.delete`, spec })).rejects.toMatchObject({
        failure: 'unsupported',
      });
    },
  );

  describe('of a cluster whose unit vanished', () => {
    const missing = new DriverError('notFound', 'cluster r has no unit');
    const at = (failures: readonly (string | undefined)[]) => {
      const failing = [...failures];
      const called: string[] = [];
      const method = (name: string) => async () => {
        called.push(name);
        if (failing.shift() === name) throw missing;
        return { infrastructureId: name, endpoints: [] };
      };
      const names = ['create', 'update', 'rebuild', 'softReboot'];
      const cluster = Object.fromEntries(names.map(name => [name, method(name)]));
      const steps: string[] = [];
      const run = async (kind: TaskKind) => {
        const context = { ...ctx, progress: (step: string) => void steps.push(step) };
        return dispatchTask({ ...driver, cluster } as unknown as Driver, context, {
          kind,
          spec,
        } as unknown as DriverTask);
      };
      return { called, steps, run };
    };

    it.each(['update', 'rebuild'] as const)(
      'the task cluster.%s creates the unit and then repeats its method',
      async action => {
        const { called, steps, run } = at([action]);
        expect(await run(`cluster.${action}`)).toMatchObject({ result: { infrastructureId: action } });
        expect(called).toEqual([action, 'create', action]);
        expect(steps).toEqual(['create the missing shared infrastructure']);
      },
    );

    it('a unit that cannot be created fails the task with its reason', async () => {
      const { called, run } = at(['update', 'create']);
      await expect(run('cluster.update')).rejects.toBe(missing);
      expect(called).toEqual(['update', 'create']);
    });

    it('what is still missing after the creation fails the task', async () => {
      const { called, run } = at(['update', undefined, 'update']);
      await expect(run('cluster.update')).rejects.toBe(missing);
      expect(called).toEqual(['update', 'create', 'update']);
    });

    it('a reboot, and an update that fails otherwise, create nothing', async () => {
      const rebooted = at(['softReboot']);
      await expect(rebooted.run('cluster.softReboot')).rejects.toBe(missing);
      expect(rebooted.called).toEqual(['softReboot']);
      const refused = new DriverError('unsupported', 'no');
      const cluster = { ...driver.cluster, update: async () => Promise.reject(refused) };
      const failing = dispatchTask({ ...driver, cluster }, ctx, {
        kind: 'cluster.update',
        spec,
      } as unknown as DriverTask);
      await expect(failing).rejects.toBe(refused);
      expect(calls).toEqual([]);
    });
  });

  it('only known kinds of tasks are accepted', () => {
    expect(['node.create', 'node.inspect', 'toString', ''].map(isTaskKind)).toEqual([true, false, false, false]);
  });
});
