import { readSource, settingsOf, takenIn } from '../distributed/declared-settings.js';
import { valuesSchema, type ValuesSchema } from './chart.js';

const schema = valuesSchema();

/** Returns the paths of objects whose members are not all declared. Maps of texts, such as labels, are closed by the type of their values. */
function openIn(part: unknown, path: string): readonly string[] {
  if (Array.isArray(part)) return part.flatMap((item, index) => openIn(item, `${path}[${index}]`));
  if (typeof part !== 'object' || part === null) return [];
  const { type, additionalProperties } = part as ValuesSchema;
  const isOpen = type === 'object' && (additionalProperties === undefined || additionalProperties === true);
  return [
    ...(isOpen ? [path] : []),
    ...Object.entries(part).flatMap(([key, value]) => openIn(value, `${path}.${key}`)),
  ];
}

const named = (definition: string): readonly string[] => schema.$defs?.[definition]?.enum ?? [];
/** What the chart sets itself. */
const own = /^(NATS_|REQUIRE_TLS|LOG_LEVEL|HEALTH_|TLS_|EVENTSTORE_|MONGODB_|STARTUP_WAIT_MS|DATA_DIR|RING_KEY_PIN)/;
const ofChart: Readonly<Record<string, RegExp>> = {
  'cluster-service': /^ADMIN_KEY_FILE$/,
  'api-gateway': /^(HOST|PORT|IDENTITY_FILE)$/,
  conductor: /^(CONDUCTOR_(ID|GROUP|WEIGHT)|DRIVERS_ENABLED|SECRETS_DIR|STOP_GRACE_MS|FAKE_.*)$/,
};

describe('values.schema.json', () => {
  it('is closed at every level', () => {
    expect(openIn(schema, '')).toEqual([]);
  });

  it.each([
    ['cluster-service', ['serviceSettings', 'clusterServiceSettings']],
    ['nodegroup-service', ['serviceSettings', 'hookSettings']],
    ['container-scheduler', ['serviceSettings', 'hookSettings']],
    ['api-gateway', ['gatewaySettings']],
    ['conductor', ['conductorSettings']],
  ])('takes every setting of %s that the chart does not set, and no other', (process, definitions) => {
    const left = settingsOf(process).filter(key => !own.test(key) && !ofChart[process]?.test(key));
    expect([...definitions.flatMap(named)].sort()).toEqual([...left].sort());
  });

  it('takes the settings of the drivers in the table of docs/operate/configuration.md', () => {
    const [, table = ''] = readSource('docs/operate/configuration.md').split(/^## Drivers$/m);
    const documented = [...table.matchAll(/^\| `([A-Z][A-Z0-9_]*)`/gm)].map(([, key = '']) => key);
    const forTests = takenIn('libs/drivers/fake/src/fake.driver.ts').filter(key => key === 'FAKE_DEADLY_CALLS');
    const taken = schema.$defs?.['driverSettings']?.anyOf?.flatMap(part => part.enum ?? []) ?? [];
    const ownOfChart = documented.filter(key => ofChart['conductor']?.test(key) && !key.startsWith('FAKE_'));
    expect([...taken, ...forTests, ...ownOfChart].sort()).toEqual([...documented].sort());
  });
});
