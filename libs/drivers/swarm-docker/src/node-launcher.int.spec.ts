import { aDriverContext } from '@stave/driver-sdk/testing';
import { type ContainerSummary, label, pollUntil, withLabels } from '@stave/docker';
import { describeOnEngine, nodeSpec, clusterSpec } from './testing/real-engine.fixture.js';

describeOnEngine('The creation of a node whose container is removed', engine => {
  afterEach(() => engine().clear());

  /** Removes the container of a node at a step of its creation, and returns the message of the failed create. */
  async function createBrokenAt(step: RegExp): Promise<string> {
    const { driver, host, ctx } = engine();
    const spec = nodeSpec('node-broken');
    const query = { all: true, ...withLabels({ [label.node]: spec.id }) };
    let reach: () => void = () => undefined;
    const reached = new Promise<void>(resolve => (reach = resolve));
    const progress = (text: string): void => {
      if (step.test(text)) reach();
    };
    const building = driver.node.create(aDriverContext({ progress }), spec).then(
      () => 'built',
      (error: Error) => error.message,
    );
    await Promise.race([reached, building]);
    const destroyed = async (): Promise<true | undefined> => {
      const [found] = await host.read<ContainerSummary[]>(ctx, '/containers/json', { query });
      if (found?.State !== 'running') return undefined;
      await host.change(ctx, 'DELETE', `/containers/${found.Id}`, { query: { force: true, v: true } });
      return true;
    };
    await pollUntil(ctx, { what: 'removal of the container', withinMs: 20_000, everyMs: 5 }, destroyed);
    return building;
  }

  it.each([/start engine/, /wait for a manager/])(
    'a create whose container is removed at %s fails immediately and can be repeated',
    async step => {
      const { driver, ctx } = engine();
      await driver.cluster.create(ctx, clusterSpec());
      expect(await createBrokenAt(step)).toMatch(/the container of node node-broken is not running/);
      await driver.node.create(ctx, nodeSpec('manager', { role: 'manager' }));
      await driver.node.create(ctx, nodeSpec('node-broken'));
    },
  );
});
