import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, eventually, freePort, repositoryRoot, StaveClient } from '@stave/testing';

jest.setTimeout(1_200_000);

const file = readFileSync(join(repositoryRoot(), 'deploy/image/Dockerfile'), 'utf8');
const instruction = (name: string): string => new RegExp(`^${name} (.*)$`, 'm').exec(file)?.[1] ?? '';
const missing =
  process.env['STAVE_TEST_IMAGE'] !== 'true'
    ? 'npm run test:group image runs it'
    : process.getuid?.() === 0
      ? undefined
      : 'only root starts processes as the user of the image';

describeOn(missing, 'the steps of deploy/image/Dockerfile', () => {
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-image-'));
    execFileSync('chmod', ['755', directory]);
    execFileSync(process.execPath, [join(repositoryRoot(), 'scripts/image-stages.mjs'), directory], { stdio: 'pipe' });
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('the result runs as its user, writes nothing but its data, and ends at a signal', async () => {
    const [uid = 0, gid = 0] = instruction('USER').split(':').map(Number);
    expect(uid).toBeGreaterThan(0);
    const [, ...flags]: readonly string[] = JSON.parse(instruction('ENTRYPOINT'));
    const program: readonly string[] = JSON.parse(instruction('CMD'));
    const data = join(directory, 'data');
    await mkdir(data);
    chownSync(data, uid, gid);
    const port = await freePort();
    const child = spawn(process.execPath, [...flags, ...program], {
      cwd: join(directory, 'final/stave'),
      env: { NODE_ENV: 'production', DATA_DIR: data, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
      uid,
      gid,
    });
    let log = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (log += text.toString()));
    try {
      const url = `http://127.0.0.1:${port}`;
      await eventually(async () => child.exitCode !== null || (await fetch(`${url}/readyz`)).ok, {
        timeoutMs: 120_000,
      });
      expect([child.exitCode, log]).toEqual([null, expect.stringContaining('Stave is ready')]);
      const api = new StaveClient(url, (await readFile(join(data, 'admin.key'), 'utf8')).trim());
      const nodeGroups = [{ name: 'w', role: 'worker', count: 1, flavor: { cpus: 1, memoryMb: 512 } }];
      await api.succeed(api.post('/v1/clusters', { name: 'c', driver: 'fake', nodeGroups }), 60_000);
      expect((await fetch(`${url}/console/`)).status).toBe(200);
      expect((await fetch(`${url}/docs`)).status).toBe(200);
    } finally {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await gone).toEqual([0, null]);
    }
    // root owns the code
    expect(execFileSync('find', [join(directory, 'final/stave'), '-user', String(uid)], { encoding: 'utf8' })).toBe('');
  });

  it('the result has no sources, tests or packages for development, and stays small', () => {
    const stave = join(directory, 'final/stave');
    const found = execFileSync('find', ['apps', 'libs', '-name', '*.ts', '-o', '-name', '*.spec.js'], {
      cwd: stave,
      encoding: 'utf8',
    });
    expect(found).toBe('');
    for (const name of ['typescript', 'jest', 'vite', 'eslint', 'nx'])
      expect(execFileSync('find', ['node_modules', '-maxdepth', '1', '-name', name], { cwd: stave }).toString()).toBe(
        '',
      );
    // swarm_docker compares the image of an engine with its recipe
    const recipe = join(stave, 'libs/drivers/swarm-docker/image/rootfs.sh');
    expect(readFileSync(recipe, 'utf8')).toContain('#!/bin/bash');
    const [kilobytes = ''] = execFileSync('du', ['-sk', stave], { encoding: 'utf8' }).split('\t');
    expect(Number(kilobytes)).toBeLessThan(180_000);
  });
});
