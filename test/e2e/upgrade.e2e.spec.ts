import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFakeVersion } from '@stave/driver-fake/testing';
import {
  describeOn,
  eventually,
  expectProblem,
  expectStatus,
  natsMissing,
  operationIdOf,
  type StaveAnswer,
} from '@stave/testing';
import { RingStack } from '../ring/ring.fixture.js';
import { Fleet } from './fleet.js';
import { EmbeddedStack } from './stack.js';
import type { ClusterView } from './views.js';

jest.setTimeout(120_000);

interface Versioned extends ClusterView {
  readonly driverVersion: string;
  readonly operatedBy: string | null;
}

interface Units {
  readonly items: readonly { readonly infrastructureId: string }[];
}

let drivers = '';
beforeAll(async () => {
  drivers = await mkdtemp(join(tmpdir(), 'stave-upgrade-'));
  await makeFakeVersion(join(drivers, 'fake_v1_1'), '1.1.0', '1.0.0');
  await makeFakeVersion(join(drivers, 'fake_v2'), '2.0.0', '2.0.0');
});
afterAll(() => rm(drivers, { recursive: true, force: true }));

const groups = [
  { name: 'm', role: 'manager', count: 1 },
  { name: 'w', role: 'worker', count: 3 },
];
const enabled = (...versions: string[]): Record<string, string> => ({
  DRIVERS_PATH: drivers,
  DRIVERS_ENABLED: versions.map(version => `fake@${version}`).join(','),
});
const act = (fleet: Fleet, id: string, action: string, body: object = {}): Promise<StaveAnswer<Versioned>> =>
  fleet.api.post(`/v1/clusters/${id}/actions/${action}`, body);

describe('an upgrade of the driver version', () => {
  let stack: EmbeddedStack;
  let fleet: Fleet;
  beforeAll(async () => {
    stack = await EmbeddedStack.start(undefined, enabled('1.0.0', '1.1.0', '2.0.0'));
    fleet = new Fleet(stack);
  });
  afterAll(() => stack?.close());
  const read = (id: string): Promise<Versioned> => fleet.api.read(`/v1/clusters/${id}`);

  it('an upgrade moves a cluster to the named version or to the newest, and rebuilds every node', async () => {
    const { id } = await fleet.cluster({ driverVersion: '1.0.0' }, groups);
    expect(await read(id)).toMatchObject({ driverVersion: '1.0.0', operatedBy: '1.1.0' });
    for (const [body, version] of [
      [{ version: '1.1.0' }, '1.1.0'],
      [{}, '2.0.0'],
    ] as const) {
      const before = await fleet.nodes(id);
      const answer = expectStatus(await act(fleet, id, 'upgrade', body), 202);
      expect(answer.body).toMatchObject({ status: 'UPDATING', driverVersion: version });
      const operation = await fleet.api.operation(operationIdOf(answer) ?? '', 60_000);
      expect(operation).toMatchObject({
        status: 'SUCCEEDED',
        kind: 'cluster.upgrade',
        progress: { done: 5, total: 5 },
      });
      const after = await fleet.nodes(id);
      expect(after.map(n => n.id)).toEqual(before.map(n => n.id));
      const kept = new Set(before.map(n => n.infrastructureId));
      expect(after.filter(n => kept.has(n.infrastructureId))).toEqual([]);
      expect(await read(id)).toMatchObject({ status: 'ACTIVE', driverVersion: version, operatedBy: version });
    }
    expect(expectProblem(await act(fleet, id, 'upgrade', { version: '1.1.0' }), 422, '/version').code).toBe(
      'not-newer',
    );
    expectProblem(await act(fleet, id, 'upgrade'), 422, '/version');
    expectProblem(await act(fleet, id, 'upgrade', { version: '3.0.0' }), 503);
  });

  it('a retry continues an upgrade at the step that failed permanently', async () => {
    const options = { refuse: { 'cluster.update': 1 } };
    const { id } = await fleet.cluster({ driverVersion: '1.1.0', options }, groups);
    const failed = expectStatus(await act(fleet, id, 'upgrade'), 202);
    expect(await fleet.api.operation(operationIdOf(failed) ?? '')).toMatchObject({ status: 'FAILED' });
    expect(await read(id)).toMatchObject({ status: 'DEGRADED', driverVersion: '1.1.0', operatedBy: '1.1.0' });
    const before = await fleet.nodes(id);
    await fleet.api.succeed(act(fleet, id, 'retry'), 60_000);
    const kept = new Set(before.map(n => n.infrastructureId));
    expect((await fleet.nodes(id)).filter(n => kept.has(n.infrastructureId))).toEqual([]);
    expect(await read(id)).toMatchObject({ status: 'ACTIVE', driverVersion: '2.0.0' });
  });

  it('shared infrastructure that vanished is created again by a rebuild, and by an upgrade', async () => {
    const { id } = await fleet.cluster({ driverVersion: '1.1.0' }, groups);
    const units = async (): Promise<readonly string[]> => {
      const { items } = await fleet.api.read<Units>(`/v1/clusters/${id}/driver/units?kind=cluster`);
      return items.map(({ infrastructureId }) => infrastructureId);
    };
    for (const [action, version] of [
      ['rebuild', '1.1.0'],
      ['upgrade', '2.0.0'],
    ] as const) {
      const lost = await units();
      expect(lost).toHaveLength(1);
      expectStatus(await fleet.api.delete(`/v1/clusters/${id}/driver/units/${lost[0]}`), 200);
      expect(await units()).toEqual([]);
      await fleet.api.succeed(act(fleet, id, action), 60_000);
      expect(await units()).toEqual([expect.not.stringMatching(`^${lost[0]}$`)]);
      expect(await read(id)).toMatchObject({ status: 'ACTIVE', driverVersion: version });
    }
  });
});

describeOn(natsMissing(), 'an upgrade between conductors', () => {
  let ring: RingStack;
  const conductor = (id: string, ...versions: string[]) => ({ id, group: '', env: enabled(...versions) });
  afterAll(() => ring?.close());

  it('an upgrade hands the cluster and all its nodes to conductors with the new version', async () => {
    ring = await RingStack.start([conductor('v1', '1.0.0')]);
    const fleet = new Fleet({ url: ring.stack.url, adminKey: ring.stack.adminKey });
    const { id } = await fleet.cluster({}, [{ count: 4 }]);
    const answer = await act(fleet, id, 'upgrade', { version: '2.0.0' });
    expect(expectProblem(answer, 503)).toMatchObject({ served: [{ driver: 'fake', versions: ['1.0.0'] }] });
    await ring.stack.addConductor(conductor('v2', '2.0.0'));
    const upgrade = await eventually(
      async () => {
        const asked = await act(fleet, id, 'upgrade', { version: '2.0.0' });
        return asked.status === 202 ? asked : undefined;
      },
      { what: 'the new version to be offered' },
    );
    await fleet.api.succeed(upgrade, 60_000);
    expect(await fleet.api.read(`/v1/clusters/${id}`)).toMatchObject({ driverVersion: '2.0.0', operatedBy: '2.0.0' });
    const places = await Promise.all((await fleet.nodes(id)).map(n => ring.lookup(n.id)));
    expect(new Set(places.map(p => p.conductorId))).toEqual(new Set(['v2']));
    expect(await ring.workersOn(id)).toEqual(['v1', 'v2']);
    await ring.stack.process('v1').stop();
    await fleet.api.succeed(fleet.api.post(`/v1/clusters/${id}/node-groups/w/actions/resize`, { count: 5 }), 60_000);
    await ring.expectSound();
  });
});
