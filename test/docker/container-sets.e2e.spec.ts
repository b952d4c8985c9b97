import { dockerMissing } from '@stave/docker/testing';
import { describeOn, eventually, expectStatus, operationIdOf, uniqueName } from '@stave/testing';
import type { ContainerSetView, ContainerView, ResourceView } from '../e2e/views.js';
import { checkBudgets, type BudgetReport } from '../fault/ledger/budget-rules.js';
import type { HistoryEvent } from '../fault/history.js';
import { DockerHarness } from './docker-harness.js';

jest.setTimeout(600_000);

const DESIRED = 3;
const OPERATION_MS = 120_000;
const flavor = { cpus: 0.5, memoryMb: 256 };
const page = (text: string): readonly string[] => ['sh', '-c', `mkdir /w; echo ${text} >/w/index.html; httpd -f -h /w`];

describeOn(dockerMissing(), 'Container sets on Docker', () => {
  let harness: DockerHarness;
  let cluster = '';
  beforeAll(async () => {
    harness = await DockerHarness.open();
    const made = await harness.cluster({
      name: 'sets',
      driver: 'swarm_docker',
      nodeGroups: [
        { name: 'm', role: 'manager', count: 1, flavor },
        { name: 'w', role: 'worker', count: 2, flavor },
      ],
    });
    cluster = made.id;
  });
  afterAll(() => harness?.close());

  async function made(updateStrategy: object, desired = DESIRED): Promise<ContainerSetView> {
    const { api } = harness;
    const profile = await harness.profile(cluster, { command: page('one'), restartPolicy: 'no' });
    const body = { name: uniqueName('set'), profile, desired, updateStrategy, backoff: { baseSeconds: 1 } };
    const { id } = await api.succeed(api.post<ContainerSetView>('/v1/container-sets', body), OPERATION_MS);
    return api.read(`/v1/container-sets/${id}`);
  }
  const read = ({ id }: ResourceView): Promise<ContainerSetView> => harness.api.read(`/v1/container-sets/${id}`);
  const members = ({ id }: ResourceView): Promise<readonly ContainerView[]> =>
    harness.api.list(`/v1/containers?setId=${id}&sort=ordinal`);
  const roll = async (set: ResourceView, overrides: object): Promise<string> => {
    const answer = await harness.api.patch(`/v1/container-sets/${set.id}`, { overrides });
    const { status, error } = await harness.api.operation(operationIdOf(answer) ?? '', OPERATION_MS);
    return error ? `${status} ${error.code}` : status;
  };
  const budgetsOf = async ({ id }: ResourceView): Promise<BudgetReport> => {
    const { items, nextCursor } = await harness.api.read<{ items: HistoryEvent[]; nextCursor: string | null }>(
      `/v1/container-sets/${id}/events?limit=500`,
    );
    if (nextCursor !== null) throw new Error('the set has more than 500 events');
    return checkBudgets(items);
  };
  const removeSet = ({ id }: ResourceView) =>
    harness.api.succeed(harness.api.delete(`/v1/container-sets/${id}`), OPERATION_MS);

  it('a rolling update to an image that is absent pauses with the members before, and continues with one that exists', async () => {
    const set = await made({ maxSurge: 1, maxUnavailable: 0, progressDeadlineSeconds: 5 });
    const before = (await members(set)).map(({ id }) => id);
    expect(await roll(set, { image: 'stave/absent:1', pullPolicy: 'never' })).toBe('FAILED no-progress-in-time');
    await eventually(async () => (await read(set)).status === 'PAUSED', { what: 'the rollout pauses' });
    expect(await read(set)).toMatchObject({ rollout: { status: 'PAUSED' }, counts: { available: DESIRED } });
    expect((await members(set)).filter(m => m.status === 'ACTIVE').map(({ id }) => id)).toEqual(before);
    const failed = await harness.api.list<HistoryEvent>(`/v1/container-sets/${set.id}/events?limit=500`);
    const codes = failed.flatMap(({ data }) => (data['failures'] as { code: string }[] | undefined) ?? []);
    expect(new Set(codes.map(({ code }) => code))).toEqual(new Set(['image-missing']));
    const better = { image: null, pullPolicy: null, command: page('two') };
    expect(await roll(set, better)).toBe('SUCCEEDED');
    expect((await members(set)).some(({ id }) => before.includes(id))).toBe(false);
    const report = await budgetsOf(set);
    expect(report).toMatchObject({ broken: [], taken: DESIRED });
    expect(report.fewest.get(set.id)).toBe(DESIRED);
    await removeSet(set);
  });

  it('a rolling update whose containers end goes back by itself, and never leaves fewer than allowed', async () => {
    // longer than the conductors take to notice that a container ended
    const patience = { minReadySeconds: 20, progressDeadlineSeconds: 40 };
    const set = await made({ maxSurge: 1, maxUnavailable: 1, ...patience, onFailure: 'rollback' });
    expect(await roll(set, { command: ['sh', '-c', 'exit 3'] })).toBe('FAILED no-progress-in-time');
    await eventually(async () => (await read(set)).status === 'ACTIVE', {
      timeoutMs: OPERATION_MS,
      what: 'the contents before',
    });
    const after = await members(set);
    expect(after.map(({ status, ordinal }) => `${status} ${ordinal}`)).toEqual(['ACTIVE 0', 'ACTIVE 1', 'ACTIVE 2']);
    const { id } = after[0]!;
    expect(await harness.api.read(`/v1/containers/${id}`)).toMatchObject({ command: page('one') });
    const report = await budgetsOf(set);
    expect(report.broken).toEqual([]);
    expect(report.fewest.get(set.id)).toBeGreaterThanOrEqual(DESIRED - 1);
    await removeSet(set);
  });

  it('a rolling update whose health check fails pauses although its containers run', async () => {
    const set = await made({ maxSurge: 1, maxUnavailable: 0, progressDeadlineSeconds: 6 });
    const healthCheck = { command: ['false'], intervalSeconds: 1, retries: 1 };
    expect(await roll(set, { healthCheck })).toBe('FAILED no-progress-in-time');
    await eventually(async () => (await read(set)).status === 'PAUSED', { what: 'the rollout pauses' });
    expect(await read(set)).toMatchObject({ counts: { available: DESIRED } });
    expect((await budgetsOf(set)).broken).toEqual([]);
    await removeSet(set);
  });

  it('a drain takes the members of a node away one at a time, and never leaves fewer than the budget allows', async () => {
    const { api, engine } = harness;
    const set = await made({ maxSurge: 0, maxUnavailable: 1 }, 2 * DESIRED);
    const places = (await members(set)).map(({ nodeId }) => nodeId);
    const on = (node: unknown): number => places.filter(each => each === node).length;
    const nodeId = places.reduce((fullest, each) => (on(each) > on(fullest) ? each : fullest), null);
    const samples: number[] = [];
    let watching = true;
    const watch = async (): Promise<void> => {
      while (watching) samples.push(await engine.containersOnNodes(cluster));
    };
    const watched = watch();
    const answer = expectStatus(await api.post(`/v1/nodes/${nodeId}/actions/drain`, { deadline: '100s' }), 202);
    expect((await api.operation(operationIdOf(answer) ?? '', OPERATION_MS)).status).toBe('SUCCEEDED');
    const isMoved = async () => {
      const now = await members(set);
      const { counts } = await read(set);
      return counts.available === places.length && now.every(m => m.nodeId !== nodeId);
    };
    await eventually(isMoved, { timeoutMs: OPERATION_MS, what: 'all members on other nodes' });
    watching = false;
    await watched;
    console.info(
      `${on(nodeId)} of ${places.length} members moved; running in ${samples.length} samples: ${summary(samples)}`,
    );
    expect(Math.min(...samples)).toBe(places.length - 1);
    const report = await budgetsOf(set);
    expect(report.broken).toEqual([]);
    expect(report.taken).toBe(on(nodeId));
    expect(report.fewest.get(set.id)).toBe(places.length - 1);
    expectStatus(await api.post(`/v1/nodes/${nodeId}/actions/uncordon`), 200);
    await removeSet(set);
  });
});

/** Returns the samples without repeats. */
const summary = (samples: readonly number[]): string => samples.filter((n, i) => n !== samples[i - 1]).join(' ');
