import { declaredIn, readSource, takenIn } from './declared-settings.js';

/** Returns the settings in the tables of a section. */
function documented(section: string): string[] {
  const text = readSource('docs/operate/configuration.md')
    .split(/^## /m)
    .find(part => part.startsWith(`${section}\n`));
  return [...(text ?? '').matchAll(/^\| `([A-Z][A-Z0-9_]*)`/gm)].map(([, key = '']) => key);
}

const sorted = (keys: readonly string[]): string[] => [...new Set(keys)].sort();

describe('docs/operate/configuration.md', () => {
  it.each([
    ['Services', 'libs/service-kit/src/composition/service.environment.ts'],
    ['cluster-service', 'apps/cluster-service/src/cluster-service.config.ts'],
    ['api-gateway', 'apps/api-gateway/src/gateway.config.ts'],
    ['conductor', 'apps/conductor/src/config/conductor.config.ts'],
    ['all-in-one', 'apps/all-in-one/src/all-in-one.config.ts'],
    ['event-store', 'apps/all-in-one/src/event-store-server.config.ts'],
    ['distributed', 'test/distributed/distributed.config.ts'],
  ])('the page lists every setting of %s and no other', (section, path) => {
    const keys = declaredIn(path);
    expect(keys.length).toBeGreaterThan(2);
    expect(sorted(documented(section))).toEqual(sorted(keys));
  });

  it('the page lists the settings of the drivers', () => {
    const heat = ['cloud/clouds.ts', 'cloud/sealed-secrets.ts', 'engines/kubernetes.ts', 'heat-driver.ts'];
    const keys = [
      'libs/drivers/fake/src/fake.driver.ts',
      ...['swarm-docker', 'k8s-docker'].map(driver => `libs/drivers/${driver}/src/settings.ts`),
      ...heat.map(file => `libs/drivers/heat/src/${file}`),
    ].flatMap(takenIn);
    // one row is for all variables of OpenStack's own clients
    expect(sorted(documented('Drivers'))).toEqual(sorted([...new Set(keys)].filter(key => !key.startsWith('OS_'))));
  });

  it('the page lists the settings of the test servers', () => {
    expect(documented('Servers of the tests')).toEqual(
      expect.arrayContaining(takenIn('libs/testing/src/servers/servers.config.ts').filter(key => key !== 'PATH')),
    );
  });
});
