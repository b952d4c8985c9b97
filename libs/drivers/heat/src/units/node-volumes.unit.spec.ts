import { Templates } from '../stacks/templates.js';
import { withVolumes, withVolumeStep } from './node-volumes.js';

const volumes = [
  { name: 'data', sizeGb: 5, mountPath: '/data' },
  { name: 'logs', sizeGb: 1, type: 'fast', mountPath: '/var/log/app' },
];
const machine = { hostname: 'n', authorizedKeys: [], files: [], units: [] };
const template = new Templates('').get('node');

describe('the volumes of a node', () => {
  it('are resources of its stack, and its user data knows their ids', () => {
    const { resources } = withVolumes(template, volumes) as { resources: Record<string, { properties: object }> };
    expect(resources['volume_0']?.properties).toEqual({ name: 'data', size: 5 });
    expect(resources['volume_1']?.properties).toEqual({ name: 'logs', size: 1, volume_type: 'fast' });
    expect(resources['attachment_1']?.properties).toEqual({
      instance_uuid: { get_resource: 'server' },
      volume_id: { get_resource: 'volume_1' },
    });
    expect(resources['server']?.properties).toMatchObject({
      user_data: {
        str_replace: {
          params: {
            __VOLUME_0__: { get_resource: 'volume_0' },
            __VOLUME_1__: { get_resource: 'volume_1' },
            __SIGNAL_TOKEN__: { get_attr: ['handle', 'token'] },
          },
        },
      },
    });
    expect(template).not.toHaveProperty('resources.volume_0');
  });

  it('are mounted by the first step of the machine, which knows them by placeholders', () => {
    const [step] = withVolumeStep(machine, volumes, 60).files;
    expect(step).toMatchObject({ path: '/usr/local/lib/stave/steps/00-volumes', mode: 0o755 });
    expect(step?.content).toContain(
      "ids=('__VOLUME_0__' '__VOLUME_1__')\npaths=('/data' '/var/log/app')\nseconds=60\n",
    );
  });

  it('a node without any is not changed', () => {
    expect(withVolumes(template, [])).toBe(template);
    expect(withVolumeStep(machine, [], 60)).toBe(machine);
  });

  it.each(['/my data', '/a;b', 'data', '/'])('a path such as "%s" is refused permanently', mountPath => {
    const wrong = [{ name: 'data', sizeGb: 5, mountPath }];
    expect(() => withVolumeStep(machine, wrong, 60)).toThrow(expect.objectContaining({ failure: 'permanent' }));
  });
});
