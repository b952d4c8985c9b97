// The network namespace of a lossy line: each connection to one socket of the folder goes over TCP inside the namespace to the other socket.
// Its parent sends the share of packets to lose, and gets the number of packets that were lost until then.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);

function relay(from, to) {
  for (const [one, other] of [
    [from, to],
    [to, from],
  ]) {
    one.pipe(other);
    one.on('error', () => undefined);
    one.on('close', () => other.destroy());
  }
}

const iptables = (...args) => execFileSync('iptables', ['--wait', ...args], { encoding: 'utf8' });

function lost() {
  const rules = iptables('--list', 'INPUT', '--numeric', '--verbose', '--exact').split('\n');
  return rules.reduce((sum, rule) => sum + Number(/^\s*(\d+)\s+\d+\s+DROP\b/.exec(rule)?.[1] ?? 0), 0);
}

function lose(share) {
  iptables('--flush', 'INPUT');
  const some = ['--protocol', 'tcp', '--match', 'statistic', '--mode', 'random', '--probability', String(share)];
  if (share > 0) iptables('--append', 'INPUT', ...some, '--jump', 'DROP');
}

// packets of the usual size: otherwise one packet of this interface has up to 64 kB
execFileSync('ip', ['link', 'set', 'lo', 'up', 'mtu', '1500', 'gso_max_segs', '1']);
const far = createServer(socket => relay(socket, connect(join(folder, 'far')))).listen(0, '127.0.0.1');
await once(far, 'listening');
const near = createServer(socket => relay(socket, connect(far.address().port, '127.0.0.1')));
near.listen(join(folder, 'near'));
await once(near, 'listening');

process.on('message', share => {
  const before = lost();
  lose(share);
  process.send(before);
});
process.on('disconnect', () => process.exit());
process.send(0);
