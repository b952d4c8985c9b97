import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const program = join(__dirname, '..', '..', 'bin', 'stave-admin.js');

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

it.each([[['--help']], [['-h']], [['nats-permissions', '--help']], [['help']]])('%j prints how it is used', args => {
  expect(run(...args)).toEqual({ status: 0, stdout: expect.stringContaining('nats-permissions --group'), stderr: '' });
});

it('knows the drivers of this installation, and names them where another one is given', () => {
  const [known, unknown] = ['fake', 'fkae'].map(driver => run('nats-permissions', '--group', 'a', '--drivers', driver));
  expect(known).toMatchObject({ status: 0, stderr: '' });
  expect(unknown).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(/fkae.*fake.*swarm_docker/s) });
});

it('refuses another command', () => {
  expect(run('permissions')).toMatchObject({ status: 2, stdout: '' });
});
