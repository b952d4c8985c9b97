import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFakeVersion } from '@stave/driver-fake/testing';
import { describeOn, eventually, expectProblem, expectStatus, natsMissing, operationIdOf } from '@stave/testing';
import type { ClusterView } from '../e2e/views.js';
import { RingStack } from './ring.fixture.js';

jest.setTimeout(120_000);

interface Versioned extends ClusterView {
  readonly driverVersion: string;
  readonly operatedBy: string | null;
}

const flavor = { cpus: 1, memoryMb: 512 };

/**
 * Version 1.1.0 can operate clusters of 1.0.0, version 2.0.0 only its own. The name of each conductor lists its
 * versions.
 */
describeOn(natsMissing(), 'versions of a driver that run side by side', () => {
  let drivers = '';
  let ring: RingStack;
  const made = new Map<string, string>();
  const idOf = (version: string): string => made.get(version) ?? '';
  const conductor = (id: string, ...versions: string[]) => ({
    id,
    group: '',
    env: { DRIVERS_PATH: drivers, DRIVERS_ENABLED: versions.map(version => `fake@${version}`).join(',') },
  });
  const cluster = (version: string): Promise<Versioned> => ring.api.read(`/v1/clusters/${idOf(version)}`);
  const build = async (version: string): Promise<void> => {
    const { id } = await ring.api.succeed(ring.ask({}, [{ count: 12 }]));
    made.set(version, id);
    expect(await cluster(version)).toMatchObject({ driverVersion: version });
  };
  const owners = async (version: string): Promise<readonly string[]> => {
    const nodes = await ring.nodes(idOf(version));
    const places = await Promise.all(nodes.map(({ id }) => ring.lookup(id)));
    return [...new Set(places.map(({ conductorId }) => conductorId ?? 'nobody'))].sort();
  };

  beforeAll(async () => {
    drivers = await mkdtemp(join(tmpdir(), 'stave-versions-'));
    await makeFakeVersion(join(drivers, 'fake_v1_1'), '1.1.0', '1.0.0');
    await makeFakeVersion(join(drivers, 'fake_v2'), '2.0.0', '2.0.0');
    ring = await RingStack.start([conductor('v1', '1.0.0')]);
  });
  afterAll(async () => {
    await ring?.close();
    await rm(drivers, { recursive: true, force: true });
  });

  it('a driver version operates only clusters of compatible versions', async () => {
    await build('1.0.0');
    await ring.stack.addConductor(conductor('v11', '1.1.0'));
    await build('1.1.0');
    await ring.stack.addConductor(conductor('v2', '2.0.0'));
    await build('2.0.0');

    expect(await owners('1.0.0')).toEqual(['v1', 'v11']);
    expect(await owners('1.1.0')).toEqual(['v11']);
    expect(await owners('2.0.0')).toEqual(['v2']);
    for (const version of ['1.0.0', '1.1.0', '2.0.0']) {
      const resize = ring.api.post(`/v1/clusters/${idOf(version)}/node-groups/w/actions/resize`, { count: 20 });
      await ring.api.succeed(resize);
    }
    expect(await ring.workersOn(idOf('1.0.0'))).toEqual(['v1', 'v11']);
    expect(await ring.workersOn(idOf('1.1.0'))).toEqual(['v11']);
    expect(await ring.workersOn(idOf('2.0.0'))).toEqual(['v2']);
    await ring.expectSound();
  });

  it('the API lists the driver versions, and shows the one that operates a cluster', async () => {
    const { conductorId } = await ring.lookup(idOf('1.0.0'));
    const own = conductorId === 'v1' ? '1.0.0' : '1.1.0';
    expect((await cluster('1.0.0')).operatedBy).toBe(own);
    expect((await cluster('1.1.0')).operatedBy).toBe('1.1.0');
    expect((await cluster('2.0.0')).operatedBy).toBe('2.0.0');
    const listed = await ring.api.list<Versioned>('/v1/clusters');
    expect(new Map(listed.map(({ id, operatedBy }) => [id, operatedBy])).get(idOf('1.0.0'))).toBe(own);
    expect(await ring.api.read('/v1/drivers/fake')).toMatchObject({ versions: ['2.0.0', '1.1.0', '1.0.0'] });
    expect(await ring.api.read('/v1/conductors/v11')).toMatchObject({ drivers: [{ name: 'fake', version: '1.1.0' }] });
  });

  it('a driver version takes over clusters of another version that it can operate', async () => {
    await ring.stack.process('v1').stop();
    await eventually(async () => (await cluster('1.0.0')).operatedBy === '1.1.0');
    expect(await owners('1.0.0')).toEqual(['v11']);
  });

  it('changes of a cluster are refused until a conductor offers a driver version that can operate it', async () => {
    await ring.stack.process('v11').stop();
    await eventually(async () => (await cluster('1.1.0')).operatedBy === null);
    expect(await owners('1.0.0')).toEqual(['nobody']);
    const served = [{ driver: 'fake', versions: ['2.0.0'], groups: [''] }];
    for (const version of ['1.0.0', '1.1.0']) {
      const group = { name: 'more', role: 'worker', count: 1, flavor };
      const answer = await ring.api.post(`/v1/clusters/${idOf(version)}/node-groups`, group);
      expect(expectProblem(answer, 503)).toMatchObject({ code: 'no-conductor-available', served });
      expectProblem(await ring.api.patch(`/v1/clusters/${idOf(version)}`, { conductorGroup: '' }), 503);
    }
    expectStatus(await ring.api.patch(`/v1/clusters/${idOf('2.0.0')}`, { conductorGroup: '' }), 200);

    const path = `/v1/clusters/${idOf('1.0.0')}/node-groups/w/actions/resize`;
    const growth = expectStatus(await ring.api.post(path, { count: 22 }), 202);
    await ring.api.succeed(ring.api.post(`/v1/clusters/${idOf('2.0.0')}/node-groups/w/actions/resize`, { count: 22 }));
    expect(await ring.api.operation(operationIdOf(growth) ?? '', 0).catch(() => 'waits')).toBe('waits');
    await ring.stack.addConductor(conductor('both', '1.0.0', '2.0.0'));
    await ring.api.succeed(growth);
    expect((await cluster('1.0.0')).operatedBy).toBe('1.0.0');
    expect((await cluster('1.1.0')).operatedBy).toBeNull();
    expect(await ring.workersOn(idOf('1.0.0'))).toEqual(['both', 'v1', 'v11']);
    expect(await ring.workersOn(idOf('1.1.0'))).toEqual(['v11']);
    await ring.expectSound();
  });
});
