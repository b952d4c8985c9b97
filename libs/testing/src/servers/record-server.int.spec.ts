import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeOn } from '@stave/driver-sdk/testing';
import { recordServer } from './record-server.js';
import { repositoryRoot } from './servers.config.js';
import { natsMissing, startNats } from './start-nats.js';

/** Returns what `npm test` prints of the notes in this file. */
function rowsOf(file: string): unknown {
  const reader = pathToFileURL(join(repositoryRoot(), 'scripts', 'servers-used.mjs')).href;
  const print = `import(${JSON.stringify(reader)}).then(m => console.log(JSON.stringify(m.serversUsed(...process.argv.slice(1)))))`;
  return JSON.parse(execFileSync(process.execPath, ['-e', print, file, repositoryRoot()], { encoding: 'utf8' }));
}

describeOn(natsMissing(), 'the servers that npm test names for a suite', () => {
  it('are those that the suite has started, and - for parts without one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stave-servers-'));
    const file = join(folder, 'servers.jsonl');
    expect(rowsOf(file)).toEqual([]);
    process.env['STAVE_SERVERS_USED'] = file;
    const nats = await startNats();
    if ('skipped' in nats) throw new Error(nats.skipped);
    recordServer('event store', 'embedded');
    recordServer('event store', 'embedded');
    delete process.env['STAVE_SERVERS_USED'];
    await nats.stop();
    expect(rowsOf(file)).toEqual([
      {
        suite: join('libs', 'testing', 'src', 'servers', 'record-server.int.spec.ts'),
        'event store': 'embedded',
        'document store': '-',
        messaging: nats.owned ? 'nats-server' : 'NATS_URL',
      },
    ]);
    rmSync(folder, { recursive: true });
  });
});
