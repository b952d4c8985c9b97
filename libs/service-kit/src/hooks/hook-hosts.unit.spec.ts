import { HOOK_HOSTS_PATTERN, isHookAllowed } from './hook-hosts.js';

describe('the hosts of hooks', () => {
  it.each([
    ['hooks.example.com', 'https://hooks.example.com/stave'],
    ['hooks.example.com', 'http://hooks.example.com:8080/stave'],
    ['hooks.example.com:443', 'https://hooks.example.com/stave'],
    ['hooks.example.com:80', 'http://hooks.example.com/stave'],
    ['Hooks.Example.com:8080', 'http://hooks.example.com:8080/stave'],
    ['[::1]:8080', 'http://[::1]:8080/stave'],
  ])('%s allows %s', (host, url) => expect(isHookAllowed(['other.example.com', host], url)).toBe(true));

  it.each([
    ['hooks.example.com:443', 'http://hooks.example.com/stave'],
    ['hooks.example.com:443', 'https://hooks.example.com:8443/stave'],
    ['hooks.example.com', 'https://evil.example.com/?hooks.example.com'],
    ['hooks.example.com', 'https://hooks.example.com.evil.example/'],
    ['hooks.example.com', 'no url'],
  ])('%s does not allow %s', (host, url) => expect(isHookAllowed([host], url)).toBe(false));

  it.each(['', 'a.example', 'a.example:8080, 10.0.0.5,[::1]:80', 'a.example,'])('can be the setting %j', text =>
    expect(HOOK_HOSTS_PATTERN.test(text)).toBe(true),
  );

  it.each(['http://a.example', 'a.example/x', 'a b', 'a.example:port', 'a.example,http://b.example'])(
    'cannot be the setting %j',
    text => expect(HOOK_HOSTS_PATTERN.test(text)).toBe(false),
  );
});
