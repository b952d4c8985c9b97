import { node, request } from '../placement.fixture.js';
import { checkFilter, refuses } from './filter.fixture.js';
import { hostPort } from './host-port.js';

describe('the filter HOST_PORT_TAKEN', () => {
  checkFilter(hostPort, {
    wanted: request({ hostPorts: [{ port: 80, protocol: 'tcp' }] }),
    refused: node({ hostPorts: [{ port: 80, protocol: 'tcp' }] }),
    accepted: node({ hostPorts: [{ port: 80, protocol: 'udp' }] }),
    open: request({ hostPorts: [] }),
    remedy: { cost: 2, sentence: 'ask for another host port than 80' },
  });

  it('refuses a node without a free port where any is asked for', () => {
    const all = Array.from({ length: 2768 }, (_, i) => ({ port: 30_000 + i, protocol: 'tcp' }) as const);
    const wanted = request({ hostPorts: [{ port: 0, protocol: 'tcp' }] });
    expect(refuses(hostPort, wanted, node({ hostPorts: all }))).toBe(true);
    expect(refuses(hostPort, wanted, node({ hostPorts: all.slice(1) }))).toBe(false);
  });
});
