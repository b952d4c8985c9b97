import { decideRing, RingView, type OfferedDriver } from '@stave/domain';
import { requireDriver } from './driver-offer.js';

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

const refusal = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

describe('a driver that is asked for', () => {
  const view = ring({ '': [fake('1.0.0'), fake('1.1.0', '1.0.0')], 'Site-A': [fake('2.0.0')] });

  it('is the newest that the group has, whatever the case of its name', () => {
    expect(requireDriver(view, '', 'fake')).toEqual({ version: '1.1.0', manifest: { name: 'fake', version: '1.1.0' } });
    expect(requireDriver(view, 'SITE-a', 'fake').version).toBe('2.0.0');
  });

  it('is the newest that can go on with what a version built', () => {
    expect(requireDriver(view, '', 'fake', '1.0.0').version).toBe('1.1.0');
    expect(requireDriver(view, '', 'fake', '1.1.0').version).toBe('1.1.0');
  });

  it.each<[string, string, string | undefined, RegExp]>([
    ['nowhere', 'fake', undefined, /driver fake in conductor group nowhere/],
    ['', 'heat', undefined, /driver heat in the default conductor group/],
    ['site-a', 'fake', '1.0.0', /driver fake for what version 1\.0\.0 built in conductor group site-a/],
    ['', 'fake', '2.0.0', /for what version 2\.0\.0 built/],
  ])('is refused with what is served: group "%s", driver %s, built by %s', (group, driver, recorded, detail) => {
    const versions = { '': ['1.1.0', '1.0.0'], 'Site-A': ['2.0.0'] };
    expect(refusal(() => requireDriver(view, group, driver, recorded))).toMatchObject({
      error: {
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
      },
    });
  });
});
