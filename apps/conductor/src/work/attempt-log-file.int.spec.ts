import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { knownSecrets } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { aHolding, aTask, ConductorBench } from '../testing/conductor-bench.js';
import { untilAborted } from '../testing/scripted-driver.js';
import { AttemptLogFile } from './attempt-log-file.js';
import { keptLog, lineOf } from './attempt-log.js';

const attempt = (n: number) => ({
  taskId: 't',
  attempt: n,
  resource: { type: 'node' as const, id: 'n1', generation: 1 },
});

describe('the log of running attempts', () => {
  let dataDir: string;
  const opened: AttemptLogFile[] = [];
  const open = (conductor: string): AttemptLogFile => {
    const log = AttemptLogFile.open(dataDir, conductor);
    opened.push(log);
    return log;
  };
  const files = () => readdir(join(dataDir, 'attempts'));
  /** Writes a file as a process with this id left it. */
  const leave = (conductor: string, pid: number, ...lines: readonly object[]) =>
    writeFile(
      join(dataDir, 'attempts', `${conductor}.${pid}.1.jsonl`),
      [...lines.map(line => JSON.stringify(line)), '{"key":"k","li'].join('\n'),
    );
  const begin = (key: string, conductor: string) => ({ key, begin: { ...attempt(1), conductor }, line: 'begins' });

  beforeEach(async () => (dataDir = await mkdtemp(join(tmpdir(), 'stave-attempts-'))));
  afterEach(async () => {
    for (const log of opened.splice(0)) log.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('a new process finds the last lines of the attempts that the dead process had not ended, once', async () => {
    const log = open('one');
    const lines = Array.from({ length: 12 }, (_, i) => ({ key: 'k', line: `line ${i}` }));
    await leave('one', process.pid, begin('k', 'one'), begin('ended', 'one'), { key: 'ended', end: true }, ...lines);
    expect(log.left()).toEqual([{ ...attempt(1), conductor: 'one', lines: lines.slice(2).map(({ line }) => line) }]);
    log.forgetLeft();
    expect(log.left()).toEqual([]);
  });

  it('files of living processes of other conductors are left alone', async () => {
    const log = open('one');
    await leave('alive', process.pid, begin('k', 'alive'), { key: 'k', line: 'x' });
    await leave('dead', 2 ** 22 + 1, begin('k', 'dead'), { key: 'k', line: 'y' });
    expect(log.left().map(({ conductor }) => conductor)).toEqual(['dead']);
    log.forgetLeft();
    expect(await files()).toEqual([`alive.${process.pid}.1.jsonl`]);
  });

  it('the file is for its owner only, stays bounded and is deleted by an orderly end', async () => {
    const log = open('one');
    log.begin('long', attempt(1), 'begins');
    for (let i = 0; i < 20_000; i++) log.write('long', 'x'.repeat(1_000));
    const [file = ''] = await files();
    const { size, mode } = await stat(join(dataDir, 'attempts', file));
    expect(size).toBeLessThan(2_000_000);
    expect(mode & 0o777).toBe(0o600);
    log.end('long');
    log.close();
    expect(await files()).toEqual([]);
  });

  it('lines carry no secrets: known values are cut, and of errors and sensitive fields nothing is kept', () => {
    knownSecrets.learn('join-token-of-the-swarm');
    const log = open('one');
    log.begin('k', attempt(1), 'begins');
    const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
    const kept: string[] = [];
    const driver = keptLog(silent, line => kept.push(line));
    driver.debug({}, 'not kept');
    driver.warn({ err: new TypeError('password=1'), token: 'abc', zone: 'a', spec: { env: 'x' } }, 'it\nfailed');
    expect(kept).toEqual(['warn it\nfailed err=TypeError zone=a']);
    for (const line of [...kept, lineOf('info', {}, 'got join-token-of-the-swarm')]) log.write('k', line);
    opened.splice(0);
    log.close();
    expect(open('one').left()).toEqual([]);
    expect(open('other').left()).toEqual([]);
  });

  it('a conductor sends the lines of its dead predecessor before it registers', async () => {
    const bench = new ConductorBench();
    bench.services.holdings = [aHolding()];
    bench.services.start();
    bench.services.open.push(aTask('n1'));
    bench.driver.script = call => {
      call.ctx.log.info({ zone: 'a' }, 'starting the engine');
      return untilAborted(call);
    };
    const attempts = AttemptLogFile.open(dataDir, 'one');
    const first = await bench.conductor({ id: 'one', attempts });
    await first.start();
    await eventually(() => bench.driver.calls.length === 1, 'the task runs');
    // the file stays as a kill of the process leaves it
    const [file = ''] = await files();
    const left = await readFile(join(dataDir, 'attempts', file), 'utf8');
    first.kill();
    await first.stopped();
    await writeFile(join(dataDir, 'attempts', 'one.1.1.jsonl'), left);
    bench.services.lose.set('task.recovered', 1);
    const second = await bench.conductor({ id: 'one', attempts: AttemptLogFile.open(dataDir, 'one') });
    const registrations = bench.services.registrations.length;
    await second.start();
    await eventually(() => bench.services.recovered.length > 0, 'the lines');
    expect(bench.services.registrations).toHaveLength(registrations);
    expect(bench.services.recovered[0]).toEqual({
      taskId: 'task-of-n1',
      attempt: 1,
      resource: { type: 'node', id: 'n1', generation: 1 },
      conductor: 'one',
      lines: ['node.create begins with scripted@1.0.0', 'info starting the engine zone=a'],
    });
    await eventually(() => bench.services.registrations.length > registrations, 'the registration');
    await bench.close();
    expect(await files()).toEqual([file]); // that of the first conductor, whose process lives
  });
});
