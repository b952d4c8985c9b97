import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DriverError } from '@stave/driver-sdk';
import { aDriverContext, silentLogger } from '@stave/driver-sdk/testing';
import type { Stack } from '@stave/openstack';
import type { Cloud } from './cloud/cloud.js';
import { heatDriver } from './heat-driver.js';
import type { EngineDefinition } from './units/engine-definition.js';
import { keyOfCluster, placeOf, removeEverywhere, type HeatAccess } from './units/heat-access.js';

const template = { templates: 'none' } as unknown as EngineDefinition;
const several = heatDriver(() => template, { kind: 'installed' });

describe('a driver on several clouds', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stave-clouds-'));
  const file = join(folder, 'clouds.yaml');
  let keystone: Server;
  let url = '';

  beforeAll(async () => {
    keystone = createServer((_request, answer) => {
      const expires = new Date(Date.now() + 3_600_000).toISOString();
      const token = { user: { id: 'u1' }, project: { id: 'p1' }, expires_at: expires, catalog: [] };
      answer.writeHead(201, { 'x-subject-token': 't' }).end(JSON.stringify({ token }));
    });
    keystone.listen(0, '127.0.0.1');
    await once(keystone, 'listening');
    url = `http://127.0.0.1:${(keystone.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    keystone.close();
    rmSync(folder, { recursive: true });
  });

  const open = (first: string, second: string) => {
    const entry = (auth: string) => `{auth: {auth_url: ${auth}, username: u, password: p, project_id: p1}}`;
    writeFileSync(file, `clouds:\n  a: ${entry(first)}\n  b: ${entry(second)}\n`);
    const warnings: string[] = [];
    const log = { ...silentLogger, warn: (_fields: object, text: string) => void warnings.push(text) };
    const env = { OS_CLIENT_CONFIG_FILE: file, HEAT_CLOUDS: 'shop=a,lab=b' };
    return several.open({ installation: 'i', dataDir: folder, env, log }).then(driver => ({ driver, warnings }));
  };
  const nowhere = 'http://127.0.0.1:1';

  it('opens while one of them does not answer, with a warning, and not while none does', async () => {
    expect((await open(url, url)).warnings).toEqual([]);
    expect((await open(url, nowhere)).warnings).toEqual([expect.stringContaining('the others are served')]);
    expect((await open(nowhere, url)).warnings).toHaveLength(1);
    await expect(open(nowhere, nowhere)).rejects.toBeInstanceOf(DriverError);
  });

  const ctx = aDriverContext();
  const key = keyOfCluster({ id: 'c', generation: 1 });
  const stack = { name: 's', id: '1' } as Stack;
  const [up, down] = [{}, {}] as [Cloud, Cloud];
  /** The stacks in the cloud that answers. */
  const access = (clouds: readonly Cloud[], stacks: Stack[]): HeatAccess => {
    const answer = async <T>(cloud: Cloud, value: () => T): Promise<T> => {
      if (cloud === down) throw new DriverError('transient', 'no answer');
      return value();
    };
    const units = {
      find: (cloud: Cloud) => answer(cloud, () => [...stacks]),
      removeAll: (cloud: Cloud) => answer(cloud, () => void stacks.splice(0)),
    };
    return { clouds: { all: () => clouds }, stacks: units } as unknown as HeatAccess;
  };

  it('finds a unit in a cloud that answers, and does not take one for missing while another cloud is silent', async () => {
    for (const clouds of [
      [down, up],
      [up, down],
    ]) {
      expect(await placeOf(access(clouds, [stack]), ctx, key)).toEqual({ cloud: up, stack });
      await expect(placeOf(access(clouds, []), ctx, key)).rejects.toMatchObject({ failure: 'transient' });
    }
    expect(await placeOf(access([up], []), ctx, key)).toBeUndefined();
  });

  it('removes a unit from the clouds that answer, and fails as long as another one is silent', async () => {
    const stacks = [stack];
    await expect(removeEverywhere(access([down, up], stacks), ctx, key)).rejects.toMatchObject({
      failure: 'transient',
    });
    expect(stacks).toEqual([]);
    await removeEverywhere(access([up], stacks), ctx, key);
  });
});
