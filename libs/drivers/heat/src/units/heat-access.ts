import type { SoftwareSource } from '@stave/bootstrap';
import { DriverError, type DriverContext, type ResourceRef } from '@stave/driver-sdk';
import type { Stack } from '@stave/openstack';
import type { Cloud, Reader } from '../cloud/cloud.js';
import type { Clouds } from '../cloud/clouds.js';
import type { SealedSecrets } from '../cloud/sealed-secrets.js';
import type { StackUnits } from '../stacks/stack-units.js';
import type { Templates } from '../stacks/templates.js';
import type { StackKey } from '../stacks/unit-tags.js';
import type { EngineDefinition } from './engine-definition.js';

/** What the lifecycles of clusters and nodes share. */
export interface HeatAccess {
  readonly clouds: Clouds;
  readonly stacks: StackUnits;
  readonly secrets: SealedSecrets;
  readonly templates: Templates;
  readonly engine: EngineDefinition;
  /** Where nodes get the programs of their engine. */
  readonly software: SoftwareSource;
  /** The name or id of the network outside; undefined: the first one that Neutron shows. */
  readonly externalNetwork: string | undefined;
}

/** A stack and the cloud that has it. */
export interface Placed {
  readonly cloud: Cloud;
  readonly stack: Stack;
}

/**
 * Returns the newest stack of a unit up to a generation, in whichever cloud; undefined when there is none. Throws what a cloud that does not
 * answer throws, unless another one has the stack.
 */
export async function placeOf(access: HeatAccess, reader: Reader, key: StackKey): Promise<Placed | undefined> {
  const failures: unknown[] = [];
  for (const cloud of access.clouds.all()) {
    try {
      const [stack] = await access.stacks.find(cloud, reader, key);
      if (stack) return { cloud, stack };
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return undefined;
}

/** As `placeOf`, but throws `notFound`. */
export async function requirePlace(access: HeatAccess, reader: Reader, key: StackKey): Promise<Placed> {
  const place = await placeOf(access, reader, key);
  if (!place) throw new DriverError('notFound', `${key.kind} ${key.id} has no stack`);
  return place;
}

/** Removes the stacks of a unit up to a generation, in all clouds. Fails when one does not answer, after the others are done. */
export async function removeEverywhere(access: HeatAccess, ctx: DriverContext, key: StackKey): Promise<void> {
  const failures: unknown[] = [];
  for (const cloud of access.clouds.all()) {
    try {
      await access.stacks.removeAll(cloud, ctx, key);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

export const keyOfCluster = ({ id, generation }: Pick<ResourceRef, 'id' | 'generation'>): StackKey => ({
  ...{ kind: 'cluster', id, clusterId: id, generation },
});

/** Returns the outputs of a stack, which are texts. Throws `notFound` when it is gone. */
export async function outputsOf(cloud: Cloud, reader: Reader, stack: Stack): Promise<Readonly<Record<string, string>>> {
  const details = await cloud.heat.get(reader, stack);
  if (!details) throw new DriverError('notFound', `stack ${stack.name} is gone`);
  return Object.fromEntries(Object.entries(details.outputs).map(([name, value]) => [name, String(value ?? '')]));
}
