import { networkOf } from './cluster-network.js';

describe('the network of a cluster', () => {
  it.each([
    [undefined, '10.144.0.0/20', '10.144.0.10'],
    ['192.168.7.16/28', '192.168.7.16/28', '192.168.7.26'],
    ['255.0.0.0/8', '255.0.0.0/8', '255.0.0.10'],
  ])('%s: the first manager has the tenth address', (given, cidr, firstAddress) => {
    expect(networkOf(given)).toEqual({ cidr, firstAddress });
  });

  it.each(['', '10.0.0.0', '10.0.0.0/29', '10.0.0.0/7', '10.0.0.1/24', '10.0.0.256/24', 'fd00::/64'])(
    '%s is refused permanently',
    cidr => {
      expect(() => networkOf(cidr)).toThrow(expect.objectContaining({ failure: 'permanent' }));
    },
  );
});
