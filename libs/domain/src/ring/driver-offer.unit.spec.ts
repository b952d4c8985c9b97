import { driverOffer, flavorProblems } from './driver-offer.js';
import { decideRing } from './membership.js';
import type { OfferedDriver } from './ring-state.js';
import { RingView } from './ring-view.js';

const fake = (version: string, compatibleFrom?: string): OfferedDriver => ({
  name: 'fake',
  version,
  manifest: { name: 'fake', version },
  ...(compatibleFrom === undefined ? {} : { compatibleFrom }),
});

function ring(groups: Readonly<Record<string, readonly OfferedDriver[]>>): RingView {
  const view = new RingView();
  for (const [group, drivers] of Object.entries(groups)) {
    const own = { weight: 1, release: '1', keyMode: 'group', kind: 'conductor' } as const;
    const join = { type: 'Join', conductor: `of-${group}`, session: `s-${group}`, group, drivers, ...own } as const;
    const decision = decideRing(join, view.ringState);
    if (!decision.ok) throw new Error(decision.detail);
    for (const event of decision.events) view.apply(event, view.epoch + 1);
  }
  return view;
}

describe('driverOffer', () => {
  const view = ring({ '': [fake('1.0.0'), fake('1.1.0', '1.0.0')], 'Site-A': [fake('2.0.0')] });

  it('returns the newest version that the group offers, without regard to the case of its name', () => {
    expect(driverOffer(view, '', 'fake')).toEqual({ version: '1.1.0', manifest: { name: 'fake', version: '1.1.0' } });
    expect(driverOffer(view, 'SITE-a', 'fake')).toMatchObject({ version: '2.0.0' });
  });

  it('returns the newest version that can operate what the recorded version built', () => {
    expect(driverOffer(view, '', 'fake', '1.0.0')).toMatchObject({ version: '1.1.0' });
    expect(driverOffer(view, '', 'fake', '1.1.0')).toMatchObject({ version: '1.1.0' });
  });

  it.each<[string, string, string | undefined, RegExp]>([
    ['nowhere', 'fake', undefined, /driver fake in conductor group nowhere/],
    ['', 'heat', undefined, /driver heat in the default conductor group/],
    ['site-a', 'fake', '1.0.0', /driver fake for resources that version 1\.0\.0 built in conductor group site-a/],
    ['', 'fake', '2.0.0', /for resources that version 2\.0\.0 built/],
  ])(
    'refuses group "%s", driver %s, recorded version %s with the versions that are offered',
    (group, driver, recorded, detail) => {
      const versions = { '': ['1.1.0', '1.0.0'], 'Site-A': ['2.0.0'] };
      expect(driverOffer(view, group, driver, recorded)).toMatchObject({
        code: 'no-conductor-available',
        kind: 'unavailable',
        detail: expect.stringMatching(detail),
        extra: {
          served: [
            {
              driver: 'fake',
              versions: ['2.0.0', '1.1.0', '1.0.0'],
              groups: ['', 'Site-A'],
              versionsByGroup: versions,
            },
          ],
        },
      });
    },
  );
});

describe('flavorProblems', () => {
  const problems = (manifest: object, flavor: Parameters<typeof flavorProblems>[1]): readonly string[] =>
    flavorProblems({ ...manifest }, flavor, '/flavor').map(({ pointer, code }) => `${pointer} ${code}`);

  it('a name alone is enough where the driver knows flavors by name, and while nothing is known about the driver', () => {
    const minimumFlavor = { memoryMb: 128 };
    expect(problems({ name: 'd', minimumFlavor, namedFlavors: true }, { name: 'a' })).toEqual([]);
    expect(problems({}, { name: 'a' })).toEqual([]);
    expect(problems({ name: 'd', minimumFlavor }, { name: 'a' })).toEqual([
      '/flavor/cpus required',
      '/flavor/memoryMb required',
    ]);
    expect(problems({ name: 'd', minimumFlavor, namedFlavors: true }, { name: 'a', cpus: 1, memoryMb: 64 })).toEqual([
      '/flavor/memoryMb below-minimum-flavor',
    ]);
  });
});
