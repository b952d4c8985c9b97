import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';

const read = (path: string): string => readFileSync(join(repositoryRoot(), path), 'utf8');

/** The settings that a class of the environment declares. */
function declared(path: string): string[] {
  const [, body = ''] = /export class \w+Environment[^{]*\{([\s\S]*?)\n\}/.exec(read(path)) ?? [];
  return [...body.matchAll(/^ {2}([A-Z][A-Z0-9_]*)\??[ :=]/gm)].map(([, key = '']) => key);
}

/** The settings that code takes out of an environment by name. */
function taken(path: string): string[] {
  return [...read(path).matchAll(/env\['([A-Z][A-Z0-9_]*)'\]/g)].map(([, key = '']) => key);
}

/** The settings in the tables of a section. */
function documented(section: string): string[] {
  const text = read('docs/configuration.md')
    .split(/^## /m)
    .find(part => part.startsWith(`${section}\n`));
  return [...(text ?? '').matchAll(/^\| `([A-Z][A-Z0-9_]*)`/gm)].map(([, key = '']) => key);
}

const sorted = (keys: readonly string[]): string[] => [...new Set(keys)].sort();

describe('docs/configuration.md', () => {
  it.each([
    ['Services', 'libs/platform/src/config/service.environment.ts'],
    ['cluster-service', 'apps/cluster-service/src/cluster-service.config.ts'],
    ['api-gateway', 'apps/api-gateway/src/gateway.config.ts'],
    ['conductor', 'apps/conductor/src/config/conductor.config.ts'],
    ['all-in-one', 'apps/all-in-one/src/all-in-one.config.ts'],
    ['event-store', 'apps/all-in-one/src/event-store.config.ts'],
    ['distributed', 'test/distributed/distributed.config.ts'],
  ])('names every setting of %s and no other', (section, path) => {
    const keys = declared(path);
    expect(keys.length).toBeGreaterThan(2);
    expect(sorted(documented(section))).toEqual(sorted(keys));
  });

  it('names what drivers take', () => {
    const keys = ['libs/drivers/fake/src/fake.driver.ts', 'libs/drivers/swarm-docker/src/settings.ts'].flatMap(taken);
    expect(sorted(documented('drivers'))).toEqual(sorted(keys));
  });

  it('names what the servers of the tests take', () => {
    expect(documented('servers of the tests')).toEqual(
      expect.arrayContaining(taken('libs/testing/src/servers/servers.config.ts').filter(key => key !== 'PATH')),
    );
  });
});
