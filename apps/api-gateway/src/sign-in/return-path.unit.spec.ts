import { RefusedError } from '@stave/contracts';
import { returnPath } from './return-path.js';

describe('the path to which a browser is sent after it has signed in', () => {
  it('is the console by default', () => {
    expect(returnPath(undefined)).toBe('/console/');
  });

  it('is the path that is asked for, which leads to no other host', () => {
    expect(returnPath('/console/clusters?x=1')).toBe('/console/clusters?x=1');
    for (const given of ['//other.example/', '/\\\\other.example', 'https://other.example/', 'console'])
      expect(() => returnPath(given)).toThrow(RefusedError);
  });
});
