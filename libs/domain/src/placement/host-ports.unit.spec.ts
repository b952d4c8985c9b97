import { chooseHostPorts, portKey } from './host-ports.js';
import type { HostPort } from './model.js';

const tcp = (port: number): HostPort => ({ port, protocol: 'tcp' });
const taken = (...ports: readonly HostPort[]) => {
  const keys = new Set(ports.map(portKey));
  return (host: HostPort): boolean => keys.has(portKey(host));
};

describe('host ports', () => {
  it('any port is the lowest free one, each another one, in the order of the request', () => {
    const wanted = [tcp(0), tcp(80), tcp(0), { port: 0, protocol: 'udp' } as const];
    expect(chooseHostPorts(wanted, taken(tcp(30_000)))).toEqual([
      tcp(30_001),
      tcp(80),
      tcp(30_002),
      { port: 30_000, protocol: 'udp' },
    ]);
  });

  it('a port that the request names is not chosen for another entry of it', () => {
    expect(chooseHostPorts([tcp(0), tcp(30_000)], taken())).toEqual([tcp(30_001), tcp(30_000)]);
  });

  it('a taken port, and one that is named twice, cannot be had', () => {
    expect(chooseHostPorts([tcp(80)], taken(tcp(80)))).toBe('port-taken');
    expect(chooseHostPorts([tcp(80), tcp(80)], taken())).toBe('port-taken');
    expect(chooseHostPorts([tcp(80)], taken({ port: 80, protocol: 'udp' }))).toEqual([tcp(80)]);
  });

  it('the search begins at the given place, and continues at the lowest', () => {
    const starts = (index: number): number => 2767 + index;
    expect(chooseHostPorts([tcp(0), tcp(0)], taken(tcp(32_767)), starts)).toEqual([tcp(30_000), tcp(30_001)]);
  });

  it('the last of the range is used, and none beyond it', () => {
    const all = Array.from({ length: 2767 }, (_, i) => tcp(30_000 + i));
    expect(chooseHostPorts([tcp(0)], taken(...all))).toEqual([tcp(32_767)]);
    expect(chooseHostPorts([tcp(0)], taken(...all, tcp(32_767)))).toBe('no-free-port');
  });
});
