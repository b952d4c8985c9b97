import { referenceTo } from '../spec-builders.js';
import type { RegisterCheck } from './conformance-score.js';
import type { TestBed } from './test-bed.js';

/** Registers the checks that hold for containers only. */
export function containerChecks(bed: () => TestBed, check: RegisterCheck): void {
  check('stops, starts and restarts a container, each twice', async () => {
    const spec = bed().container();
    const containers = bed().containers;
    await containers.create(bed().context(), spec);
    const states: unknown[] = [];
    for (const action of ['stop', 'stop', 'start', 'start', 'restart', 'restart'] as const) {
      await containers[action](bed().context({ generation: 2 }), referenceTo(spec, 2));
      states.push(...(await bed().units('container', spec.id)).map(unit => unit.state));
    }
    expect(states).toEqual(['stopped', 'stopped', 'running', 'running', 'running', 'running']);
    await containers.delete(bed().context(), referenceTo(spec, 3));
  });

  check('changes limits and restart policy of a container in place', async () => {
    const spec = bed().container();
    const containers = bed().containers;
    const { infrastructureId } = await containers.create(bed().context(), spec);
    const resources = { cpus: (spec.resources.cpus ?? 0.1) * 2, memoryMb: (spec.resources.memoryMb ?? 16) * 2 };
    const changed = { ...spec, generation: 2, resources, restartPolicy: 'always' } as const;
    for (let twice = 0; twice < 2; twice++) {
      const result = await containers.update(bed().context({ generation: 2 }), changed);
      expect(result.infrastructureId).toBe(infrastructureId);
    }
    expect(await bed().units('container', spec.id)).toMatchObject([{ infrastructureId, state: 'running' }]);
    await containers.delete(bed().context(), referenceTo(spec, 3));
  });

  check('returns logs and stats of a container', async () => {
    const spec = bed().container();
    const containers = bed().containers;
    await containers.create(bed().context(), spec);
    const logs = await containers.logs(bed().context(), referenceTo(spec), { tail: 1 });
    expect(logs.trimEnd().split('\n').length).toBeLessThanOrEqual(1);
    const stats = await containers.stats(bed().context(), referenceTo(spec));
    expect(stats.cpuCores).toBeGreaterThanOrEqual(0);
    expect(stats.memoryMb).toBeGreaterThanOrEqual(0);
    expect(Number.isNaN(Date.parse(stats.at))).toBe(false);
    await containers.delete(bed().context(), referenceTo(spec));
  });

  check('follows logs until its signal fires, and until the container ends', async () => {
    const spec = bed().container();
    const containers = bed().containers;
    await containers.create(bed().context(), spec);
    const stop = new AbortController();
    const running = await containers.follow?.(bed().context({ signal: stop.signal }), referenceTo(spec), { tail: 10 });
    const reading = textOf(running);
    stop.abort();
    expect(await reading).toEqual(expect.any(String));
    const ended = textOf(await containers.follow?.(bed().context(), referenceTo(spec), { tail: 10 }));
    await containers.stop(bed().context(), referenceTo(spec));
    expect(await ended).toEqual(expect.any(String));
    const missing = containers.follow?.(bed().context(), referenceTo(bed().container()), { tail: 1 });
    if (missing) await expect(missing).rejects.toMatchObject({ failure: 'notFound' });
    await containers.delete(bed().context(), referenceTo(spec));
  });

  check('refuses stats of a container that does not run', async () => {
    const spec = bed().container();
    const containers = bed().containers;
    await containers.create(bed().context(), spec);
    await containers.stop(bed().context(), referenceTo(spec));
    const refusal = { failure: 'conflict', code: 'not-running' };
    await expect(containers.stats(bed().context(), referenceTo(spec))).rejects.toMatchObject(refusal);
    await containers.delete(bed().context(), referenceTo(spec));
  });

  check('refuses a container on a missing node', async () => {
    const spec = bed().container(bed().worker().id);
    await expect(bed().containers.create(bed().context(), spec)).rejects.toMatchObject({
      failure: expect.stringMatching(/notFound|conflict/),
    });
    expect(await bed().units('container', spec.id)).toEqual([]);
  });

  check('refuses to stop a missing container', async () => {
    const spec = bed().container();
    await expect(bed().containers.stop(bed().context(), referenceTo(spec))).rejects.toMatchObject({
      failure: 'notFound',
    });
  });

  check('removes the containers of a node with the node', async () => {
    const node = bed().worker();
    const spec = bed().container(node.id);
    await bed().driver.node.create(bed().context(), node);
    await bed().containers.create(bed().context(), spec);
    await bed().driver.node.delete(bed().context(), referenceTo(node));
    expect(await bed().units('container', spec.id)).toEqual([]);
    await bed().containers.delete(bed().context(), referenceTo(spec));
  });
}

async function textOf(pieces: AsyncIterable<string> = noPieces()): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

async function* noPieces(): AsyncGenerator<string> {
  // replaces the logs of a driver that does not support `follow`
}
