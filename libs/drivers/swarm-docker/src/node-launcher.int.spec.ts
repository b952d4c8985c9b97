import { until } from './until.js';
import type { ContainerSummary } from './engine-types.js';
import { withLabels } from './engine-client.js';
import { label } from './labels.js';
import { contextFor, engineSuite, nodeSpec, clusterSpec } from './real-engine.fixture.js';

const { engine, onEngine } = engineSuite();
afterEach(() => engine().clear(), 60_000);

/** Destroys the container of a node while it is being built: when its engine starts, or when it looks for its Swarm. */
async function brokenWhile(step: RegExp): Promise<string> {
  const { driver, host, ctx } = engine();
  const spec = nodeSpec('node-broken');
  const query = { all: true, ...withLabels({ [label.node]: spec.id }) };
  let reach: () => void = () => undefined;
  const reached = new Promise<void>(resolve => (reach = resolve));
  const progress = (text: string): void => {
    if (step.test(text)) reach();
  };
  const building = driver.node.create(contextFor({ progress }), spec).then(
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
  await until({ what: 'its container', withinMs: 20_000, signal: ctx.signal, now: ctx.now, everyMs: 5 }, destroyed);
  return building;
}

for (const step of [/start engine/, /wait for a manager/])
  onEngine(`a node whose container goes at "${step.source}" fails at once, and can be tried again`, async () => {
    const { driver, ctx } = engine();
    await driver.cluster.create(ctx, clusterSpec());
    expect(await brokenWhile(step)).toMatch(/its container does not run/);
    await driver.node.create(ctx, nodeSpec('manager', { role: 'manager' }));
    await driver.node.create(ctx, nodeSpec('node-broken'));
  });
