import {
  describeOn,
  eventually,
  natsMissing,
  openStackMissing,
  startOpenStack,
  type OpenStackServer,
} from '@stave/testing';
import { DRIVERS, HeatProduct } from './heat-product.js';
import { registerImage } from './image-registration.js';

const startWithinMs = 900_000;
const nano = { name: 'm1.nano' };
const WORKERS = 3;
/** From this version on, Nova describes the flavor of a server and names it. */
const inNames = { 'x-openstack-nova-api-version': '2.47' };

jest.setTimeout(1_800_000);

interface Server {
  readonly id: string;
  readonly name: string;
  readonly flavor: { readonly original_name: string };
  readonly image: { readonly id: string };
}

describeOn(openStackMissing() ?? natsMissing(), 'the product on a real OpenStack', () => {
  let cloud: OpenStackServer;
  let product: HeatProduct;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    cloud = await startOpenStack();
    await cloud.playNodes();
    env = await cloud.environment('other');
    product = await HeatProduct.start(cloud, 'other');
  }, startWithinMs);
  afterAll(async () => {
    await product?.close();
    await cloud?.stop();
  }, startWithinMs);

  const servers = async (): Promise<readonly Server[]> => {
    const { body } = await product.content.send('compute', 'GET', '/servers/detail?limit=1000', inNames);
    return (body as { readonly servers: readonly Server[] }).servers;
  };

  it.each(DRIVERS)(
    '%s: a cluster is built, changed in all ways, repaired and deleted, and leaves nothing',
    async driver => {
      const { api, content } = product;
      const image = await registerImage(driver.replace('_', '-'), `another image for ${driver}`, env);
      const before = await content.inventory();
      const { id } = await product.create({
        driver,
        nodeGroups: [
          { name: 'm', role: 'manager', count: 1, flavor: nano },
          { name: 'w', role: 'worker', count: 2, flavor: nano, zones: ['az1', 'az2'] },
        ],
      });
      await product.settled(id, 3);
      const groups = `/v1/clusters/${id}/node-groups`;
      await product.succeed('post', groups, {
        name: 'big',
        role: 'worker',
        count: 1,
        flavor: { name: 'm1.tiny' },
        image,
      });
      const [big] = await product.nodes(id, 'big');
      expect((await servers()).find(({ name }) => name === big?.name)).toMatchObject({
        flavor: { original_name: 'm1.tiny' },
        image: { id: image },
      });

      await product.succeed('post', `${groups}/w/actions/resize`, { count: WORKERS });
      const workers = await product.nodes(id, 'w');
      expect(workers.map(({ zone }) => zone)).toEqual(['az1', 'az2', 'az1']);
      const [first, middle, last] = workers;
      await product.succeed('post', `/v1/nodes/${middle?.id}/actions/replace`);
      const replaced = (await product.nodes(id, 'w')).map(node => node.id);
      expect(replaced).toHaveLength(WORKERS);
      expect(replaced).toEqual(expect.arrayContaining([first?.id, last?.id]));
      expect(replaced).not.toContain(middle?.id);

      await product.succeed('patch', `${groups}/w`, { flavor: { name: 'm1.tiny' } });
      const names = (await product.nodes(id, 'w')).map(({ name }) => name);
      const tiny = (await servers()).filter(({ name }) => names.includes(name));
      expect(tiny.map(({ flavor }) => flavor.original_name)).toEqual(Array(WORKERS).fill('m1.tiny'));

      const [rebuilt] = await product.nodes(id, 'w');
      await product.succeed('post', `/v1/nodes/${rebuilt?.id}/actions/rebuild`);
      const after = await api.read<{ readonly infrastructureId: string }>(`/v1/nodes/${rebuilt?.id}`);
      expect(after.infrastructureId).not.toBe(rebuilt?.infrastructureId);

      const [lost] = await product.nodes(id, 'big');
      const server = (await servers()).find(({ name }) => name === lost?.name);
      await content.send('compute', 'DELETE', `/servers/${server?.id}`);
      await eventually(
        async () => {
          const [repaired] = await product.nodes(id, 'big');
          const isAnother = repaired !== undefined && repaired.infrastructureId !== lost?.infrastructureId;
          return isAnother && repaired.status === 'ACTIVE';
        },
        { timeoutMs: startWithinMs, everyMs: 1_000, what: 'the node whose server vanished is repaired' },
      );
      await product.settled(id, 2 + WORKERS);

      await product.succeed('delete', `/v1/clusters/${id}`);
      expect(await content.inventory()).toEqual(before);
      await content.send('image', 'DELETE', `/v2/images/${image}`);
    },
  );

  it('conductors that are killed and frozen in the middle: each node is there once, and nothing is left', async () => {
    const { api, content, stack } = product;
    const before = await content.inventory();
    const conductors = ['one', 'two'].map(name => stack.process(name));
    const { body } = await api.post<{ readonly id: string; readonly operationId: string }>('/v1/clusters', {
      driver: 'swarm_fedora',
      nodeGroups: [
        { name: 'm', role: 'manager', count: 1, flavor: nano },
        { name: 'w', role: 'worker', count: 4, flavor: nano, options: { metadata: { osrig_delay: '4' } } },
      ],
    });
    const stacksOf = async (): Promise<number> => ((await content.inventory())['stacks'] ?? []).length;
    const inMiddle = (): Promise<unknown> =>
      eventually(async () => (await stacksOf()) > 2 + (before['stacks'] ?? []).length, {
        timeoutMs: startWithinMs,
        what: 'the first nodes are under way',
      });
    await inMiddle();
    const [killed, frozen] = conductors;
    await killed?.kill();
    await killed?.start();
    frozen?.signal('SIGSTOP');
    expect(await api.operation(body.operationId, startWithinMs)).toMatchObject({ status: 'SUCCEEDED' });
    frozen?.signal('SIGCONT');
    const nodes = await product.settled(body.id, 5);
    expect(await product.servers()).toEqual(nodes.map(({ name }) => name).sort());
    await product.succeed('delete', `/v1/clusters/${body.id}`);
    expect(await content.inventory()).toEqual(before);
  });
});
