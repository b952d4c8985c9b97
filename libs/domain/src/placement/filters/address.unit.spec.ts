import { node, request } from '../placement.fixture.js';
import { checkFilter, refuses } from './filter.fixture.js';
import { address } from './address.js';

describe('the filter ADDRESS_TAKEN', () => {
  checkFilter(address, {
    wanted: request({ network: { name: 'net', driver: 'bridge', scope: 'node', ipv4: '10.0.0.5' } }),
    refused: node({ addresses: [{ network: 'net', ipv4: '10.0.0.5' }] }),
    accepted: node({
      addresses: [
        { network: 'net', ipv4: '10.0.0.6' },
        { network: 'other', ipv4: '10.0.0.5' },
      ],
    }),
    open: request({ network: { name: 'net', driver: 'bridge', scope: 'node' } }),
    remedy: { cost: 5, sentence: 'ask for another address than 10.0.0.5' },
  });

  it('refuses every node for an address of a network of the cluster that any node uses', () => {
    const wanted = (scope: 'node' | 'cluster') =>
      request({ network: { name: 'net', driver: 'x', scope, ipv4: '10.0.0.5' } });
    const user = node({ id: 'u', addresses: [{ network: 'net', ipv4: '10.0.0.5' }] });
    expect(refuses(address, wanted('cluster'), node(), [user])).toBe(true);
    expect(refuses(address, wanted('node'), node(), [user])).toBe(false);
  });
});
