import { readSettings } from './all-in-one.config.js';

describe('the configuration of the product in one process', () => {
  it('reports every invalid setting by its name, and shows no value', () => {
    const wrong = (): unknown => readSettings({ LOG_LEVEL: 'loud', HOOK_HOSTS: 'http://a.example', PORT: '-1' });
    expect(wrong).toThrow(/^bad configuration: /);
    for (const name of ['LOG_LEVEL', 'HOOK_HOSTS', 'PORT']) expect(wrong).toThrow(name);
    expect(wrong).not.toThrow(/loud|a\.example/);
  });

  it('logs warnings by default, and lists hosts of hooks', () => {
    expect(readSettings({ HOOK_HOSTS: 'a.example, b.example:8080' })).toMatchObject({
      logLevel: 'warn',
      hooks: { hookHosts: ['a.example', 'b.example:8080'], hookConcurrency: 32 },
    });
  });
});
