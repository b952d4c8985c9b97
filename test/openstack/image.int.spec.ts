import { describeOn, openStackMissing, startOpenStack, type OpenStackServer } from '@stave/testing';
import { CloudContent } from './cloud-content.js';
import { registerImage } from './image-registration.js';

const startWithinMs = 900_000;
const drivers: readonly [string, string][] = [
  ['swarm-fedora', 'fedora'],
  ['k8s-fedora', 'fedora'],
  ['k8s-coreos', 'fedora-coreos'],
  ['mesos-ubuntu', 'ubuntu'],
];

interface GlanceImage {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly os_distro?: string;
}

jest.setTimeout(startWithinMs);

describeOn(openStackMissing(), 'images of nodes in a real Glance', () => {
  let cloud: OpenStackServer;
  let content: CloudContent;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    cloud = await startOpenStack();
    content = await CloudContent.of(cloud, 'other');
    env = await cloud.environment('other');
  }, startWithinMs);
  afterAll(() => cloud?.stop(), startWithinMs);

  const own = async (): Promise<readonly GlanceImage[]> => {
    const { body } = await content.send('image', 'GET', '/v2/images?visibility=shared&limit=1000');
    return (body as { readonly images: readonly GlanceImage[] }).images;
  };

  it.each(drivers)('build.sh --register of %s uploads an image once, as one of %s', async (folder, os) => {
    const before = await own();
    const text = `an image for ${folder}`;
    const id = await registerImage(folder, text, { ...env, IMAGE_NAME: `nodes of ${folder}` });
    expect(await registerImage(folder, text, env)).toBe(id);
    const made = (await own()).filter(image => !before.some(other => other.id === image.id));
    expect(made).toEqual([
      expect.objectContaining({ id, name: `nodes of ${folder}`, status: 'active', os_distro: os }),
    ]);
    await content.send('image', 'DELETE', `/v2/images/${id}`);
  });

  it('a registration that the cloud refuses fails, and leaves no image', async () => {
    const before = await own();
    const refused = registerImage('swarm-fedora', 'refused', { ...env, OS_PASSWORD: 'wrong' });
    await expect(refused).rejects.toMatchObject({ code: expect.any(Number) });
    expect(await own()).toEqual(before);
  });
});
