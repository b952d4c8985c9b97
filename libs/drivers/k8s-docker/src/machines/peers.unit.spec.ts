import { execFileSync } from 'node:child_process';
import { overlayScript, withOverlay } from './overlay.js';
import { apiAddress, linkAddressOf, peersFile, type Peers } from './peers.js';

const subnet = '10.144.4.0/22';
const [first, second, third] = ['10.144.4.20', '10.144.5.7', '10.144.7.254'] as const;
const peers: Peers = {
  nodes: [
    { address: third, machineAddress: '192.0.2.3' },
    { address: first, machineAddress: '192.0.2.1' },
    { address: second, machineAddress: '192.0.2.2' },
  ],
  controlPlanes: [second, first],
};

describe('the peers of a node on a machine', () => {
  const linesWith = (text: string, known = peers): string[] =>
    peersFile(known, first)
      .split('\n')
      .filter(line => line.includes(text));

  it('are all other nodes, with their link addresses and machines', () => {
    expect(linesWith('# peer')).toEqual([
      '# peer 10.144.5.7 02:73:0a:90:05:07 192.0.2.2',
      '# peer 10.144.7.254 02:73:0a:90:07:fe 192.0.2.3',
    ]);
  });

  it('have link addresses that are local, of one station, and differ where addresses do', () => {
    const all = [first, second, third].map(linkAddressOf);
    expect(new Set(all).size).toBe(3);
    for (const one of all) expect(Number.parseInt(one.slice(0, 2), 16) & 3).toBe(2);
  });

  it('alone may send to the overlay', () => {
    expect(linesWith('STAVE-PEERS')).toEqual([
      ':STAVE-PEERS - [0:0]',
      '-A STAVE-PEERS -s 192.0.2.2/32 -j ACCEPT',
      '-A STAVE-PEERS -s 192.0.2.3/32 -j ACCEPT',
      '-A STAVE-PEERS -j DROP',
    ]);
  });

  it('share the connections to the API equally among the control planes, which have them all', () => {
    const rules = (controlPlanes: readonly string[]): string[] =>
      linesWith('-A STAVE-API', { ...peers, controlPlanes });
    expect(rules([])).toEqual([]);
    expect(rules([first])).toEqual([`-A STAVE-API -p tcp -j DNAT --to-destination ${first}:6443`]);
    const shares = rules([third, second, first]).map(line => Number(/probability ([\d.]+)/.exec(line)?.[1] ?? 1));
    let left = 1;
    for (const share of shares) {
      expect(left * share).toBeCloseTo(1 / 3, 6);
      left -= left * share;
    }
    expect(left).toBeCloseTo(0, 6);
  });

  it('have an address of the API that no node gets', () => {
    expect(apiAddress(subnet)).toBe('10.144.4.1');
  });

  it('depend on nothing but the nodes', () => {
    const mixed: Peers = { nodes: [...peers.nodes].reverse(), controlPlanes: [first, second] };
    expect(peersFile(mixed, first)).toBe(peersFile(peers, first));
  });
});

describe('the configuration of a node on a machine', () => {
  const node = { clusterId: 'c1', address: first, subnet };
  const base = { hostname: 'n', authorizedKeys: [], files: [], units: [] };
  const { files, units } = withOverlay(base, node, peers);
  const content = (path: string): string => files.find(file => file.path === path)?.content ?? '';

  it('has a script that Bash can read, with the address, the network and the first address of the cluster', () => {
    const text = content(overlayScript);
    execFileSync('bash', ['-n'], { input: text });
    expect(text).toContain("address='10.144.4.20'\nprefix=22\n");
    expect(text).toContain("api='10.144.4.1'\n");
  });

  it('has another number of the network in another cluster', () => {
    const numberIn = (text: string): number => Number(/^network=(\d+)$/m.exec(text)?.[1]);
    const other = withOverlay(base, { ...node, clusterId: 'c2' }, peers).files[0]?.content ?? '';
    const numbers = [content(overlayScript), other].map(numberIn);
    expect(new Set(numbers).size).toBe(2);
    for (const one of numbers) expect(one).toBeGreaterThan(0);
  });

  it('connects the node at each boot before anything of Kubernetes starts', () => {
    const [unit] = units;
    expect(unit).toMatchObject({ name: 'stave-overlay.service', enabled: true });
    expect(unit?.content).toContain('Before=containerd.service stave-bootstrap.service kubelet.service');
  });

  it('has the peers of the node', () => {
    expect(content('/etc/stave/peers')).toBe(peersFile(peers, first));
  });
});
