import { RingView, type ClusterSpecification } from '@stave/domain';
import { resolveUpgrade } from './resolve-upgrade.js';

const offering = (version: string, attributes: readonly string[]): RingView => {
  const view = new RingView();
  const drivers = [{ name: 'd', version, manifest: { name: 'd', version, attributes } }];
  const own = { weight: 1, release: '1', keyMode: 'group', kind: 'conductor', group: '' } as const;
  view.apply({ type: 'ConductorJoined', data: { conductor: 'c', session: 's', drivers, ...own } }, 0);
  return view;
};
const cluster: ClusterSpecification = {
  driver: 'd',
  driverVersion: '1.0.0',
  conductorGroup: '',
  labels: {},
  network: { driver: 'x' },
  api: { port: 6443 },
  defaults: { image: 'own:1', dataVolumeGb: 5 },
  options: {},
};
const groups = [{ name: 'w', conductorGroup: null, options: {}, dataVolumeGb: 5 }];

describe('resolveUpgrade', () => {
  it('reports each attribute of the cluster and its groups that the new version does not honour', () => {
    const { problems } = resolveUpgrade(offering('1.1.0', ['network.driver']), cluster, groups);
    expect(problems.map(({ pointer, code, detail }) => [pointer, code, detail.split(':')[0]])).toEqual(
      ['api/port', 'defaults/dataVolumeGb', 'nodeGroups/w/dataVolumeGb'].map(place => [
        '/version',
        'unsupported',
        `version 1.1.0 does not take ${place}`,
      ]),
    );
  });

  it('reports nothing where the new version honours what is set', () => {
    const view = offering('1.1.0', ['network.driver', 'api.port', 'dataVolumeGb']);
    expect(resolveUpgrade(view, cluster, groups)).toEqual({ version: '1.1.0', problems: [] });
  });
});
