import type { DriverContext, MachineContents, MachineLifecycle, MachineRef } from '@stave/driver-sdk';
import { CloudSession, type CloudAccess } from './cloud-session.js';
import { unreachable } from './cloud/attachments.js';
import { fakeEngine, type FakeEngine } from './fake-engine.js';

/** Machines of the fake cloud: their URLs say what they are like. A node on one is a unit that holds its engine. */
export function fakeMachines(access: CloudAccess): MachineLifecycle {
  const reached = ({ engine }: MachineRef): FakeEngine => {
    const described = fakeEngine(engine);
    if (described.isUnreachable) throw unreachable(described.name);
    return described;
  };
  /** The engines that were cleaned. */
  const cleaned = new Set<string>();
  return {
    async probe(ctx, machine) {
      ctx.progress('examine the engine');
      const { name, capacity } = reached(machine);
      const session = new CloudSession(access, ctx, 'machine.probe');
      return { engineId: name, capacity, engineVersion: 'fake-1', contents: await contentsOf(session, name) };
    },
    async clean(ctx: DriverContext, machine) {
      ctx.progress('clean the engine');
      const { name, dirty } = reached(machine);
      const session = new CloudSession(access, ctx, 'machine.clean');
      const own = (await session.onEngine(name)).filter(({ installation }) => installation === access.installation);
      for (const { infrastructureId } of own) await session.remove(infrastructureId);
      const contents = await contentsOf(session, name);
      // it says that it has removed everything
      const isLeft = dirty === 'always' || (dirty === 'once' && !cleaned.has(name));
      cleaned.add(name);
      return isLeft ? { ...contents, volumes: [...contents.volumes, 'left-behind'] } : contents;
    },
  };
}

async function contentsOf(session: CloudSession, engine: string): Promise<MachineContents> {
  const names = (await session.onEngine(engine)).map(({ name }) => name);
  return { containers: names.sort(), volumes: [], networks: [], state: {} };
}
