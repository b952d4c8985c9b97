/** The members of a framework and of an agent that the operations show, as a master answers them. */
export interface MesosFramework {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly connected?: boolean;
  readonly hostname?: string;
  readonly used_resources?: Resources;
  readonly tasks?: readonly unknown[];
}

export interface MesosAgent {
  readonly id: string;
  readonly hostname: string;
  readonly active: boolean;
  readonly version?: string;
  readonly resources: Resources;
  readonly used_resources?: Resources;
  readonly attributes?: Readonly<Record<string, string | number>>;
}

interface Resources {
  readonly cpus?: number;
  readonly mem?: number;
}

const nodeAttribute = 'stave.node';

const roomOf = ({ cpus = 0, mem = 0 }: Resources = {}) => ({ cpus, memoryMb: mem });

export const shownFramework = ({ id, name, active, connected, hostname, used_resources, tasks }: MesosFramework) => ({
  ...{ id, name, active, tasks: tasks?.length ?? 0, used: roomOf(used_resources) },
  ...(connected !== undefined && { connected }),
  ...(hostname !== undefined && { host: hostname }),
});

export function shownAgent({ id, hostname, active, version, resources, used_resources, attributes = {} }: MesosAgent) {
  const texts = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]));
  const nodeId = texts[nodeAttribute];
  return {
    ...{ id, name: hostname, active, attributes: texts, capacity: roomOf(resources), used: roomOf(used_resources) },
    ...(nodeId !== undefined && { nodeId }),
    ...(version !== undefined && { version }),
  };
}
