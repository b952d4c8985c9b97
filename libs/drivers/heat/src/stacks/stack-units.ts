import { DriverError, type DriverContext } from '@stave/driver-sdk';
import { failureOfStack, type Stack, type StackContent, type StackReference } from '@stave/openstack';
import type { Cloud, Reader } from '../cloud/cloud.js';
import { keyOf, UnitTags, type StackKey, type Tags } from './unit-tags.js';

/** What a stack is made of, and tags beside those of its key. */
export interface StackPlan extends Omit<StackContent, 'tags'> {
  readonly tags?: Tags;
}

const mostRounds = 5;

/** The stacks of an installation in one cloud: one for each unit. Nothing is remembered: every call reads Heat's list first. */
export class StackUnits {
  readonly tags: UnitTags;

  constructor(installation: string) {
    this.tags = new UnitTags(installation);
  }

  /** Returns all stacks of the installation, or those of one cluster. */
  async list(cloud: Cloud, reader: Reader, clusterId?: string): Promise<readonly Stack[]> {
    const stacks = await cloud.heat.list(reader, this.tags.selection(clusterId));
    return stacks.filter(stack => keyOf(stack) !== undefined);
  }

  /** Returns the stacks of a unit up to its generation, the newest first. */
  async find(cloud: Cloud, reader: Reader, key: StackKey): Promise<readonly Stack[]> {
    return stacksOf(key, await this.list(cloud, reader, key.clusterId)).filter(
      stack => generationOf(stack) <= key.generation,
    );
  }

  /** Returns the newest stack of a unit up to its generation. Throws `notFound`. */
  async newest(cloud: Cloud, reader: Reader, key: StackKey): Promise<Stack> {
    const [newest] = await this.find(cloud, reader, key);
    if (!newest) throw new DriverError('notFound', `${key.kind} ${key.id} has no stack`);
    return newest;
  }

  /**
   * Creates or adopts the stack of a unit, after it has removed those of lower generations and one of its own generation that had failed before.
   * `plan` gets the other stacks of the cluster. Throws `conflict` when there is a higher generation, and the failure that Heat names.
   */
  async ensure(
    cloud: Cloud,
    ctx: DriverContext,
    key: StackKey,
    plan: (others: readonly Stack[]) => Promise<StackPlan>,
  ): Promise<Stack> {
    for (let round = 0; round < mostRounds; round += 1) {
      const all = await this.list(cloud, ctx, key.clusterId);
      const own = stacksOf(key, all);
      if (own.some(stack => generationOf(stack) > key.generation))
        throw new DriverError('conflict', `${key.kind} ${key.id} has a higher generation than ${key.generation}`);
      const found = own.find(stack => generationOf(stack) === key.generation);
      const useless = own.filter(stack => stack !== found || stack.action === 'DELETE' || stack.progress === 'FAILED');
      for (const stack of useless) await this.remove(cloud, ctx, stack);
      const isUsable = found !== undefined && !useless.includes(found);
      const others = all.filter(stack => !own.includes(stack));
      const stack = isUsable ? found : await this.create(cloud, ctx, key, () => plan(others));
      const settled = stack && (await this.settled(cloud, ctx, stack));
      if (!settled || settled.action === 'DELETE') continue;
      if (settled.progress === 'FAILED') throw failureOfStack(settled);
      return settled;
    }
    throw new DriverError('transient', `the stack of ${key.kind} ${key.id} is removed again and again`);
  }

  /** Removes the stacks of a unit up to its generation. */
  async removeAll(cloud: Cloud, ctx: DriverContext, key: StackKey): Promise<void> {
    for (const stack of await this.find(cloud, ctx, key)) await this.remove(cloud, ctx, stack);
  }

  /** Removes a stack with everything that it consists of, and returns when it is gone. */
  async remove(cloud: Cloud, ctx: DriverContext, stack: Stack): Promise<void> {
    for (let round = 0; round < mostRounds; round += 1) {
      await cloud.heat.delete(ctx, stack);
      const settled = await this.settled(cloud, ctx, stack);
      if (!settled) return;
      if (settled.action === 'DELETE') throw failureOfStack(settled);
    }
    throw new DriverError('transient', `stack ${stack.name} is not removed`);
  }

  /**
   * Waits until Heat is done with a stack; undefined when the stack is gone. One whose engine died is taken up again: a removal by
   * another removal, everything else by an empty update.
   */
  async settled(
    cloud: Cloud,
    ctx: DriverContext,
    stack: StackReference & Pick<Stack, 'tags'>,
  ): Promise<Stack | undefined> {
    const poller = cloud.poller(this.tags.selection(keyOf(stack)?.clusterId));
    for (;;) {
      const result = await poller.wait(ctx, stack);
      if (result.kind === 'gone') return undefined;
      if (result.kind === 'settled') return result.stack;
      ctx.progress('take up an interrupted stack');
      ctx.log.warn({ stack: stack.name, action: result.stack.action }, 'a stack without progress is taken up again');
      if (result.stack.action === 'DELETE') await cloud.heat.delete(ctx, stack);
      else await cloud.heat.resume(ctx, stack);
    }
  }

  /** Returns undefined when another call has created it meanwhile. */
  private async create(
    cloud: Cloud,
    ctx: DriverContext,
    key: StackKey,
    plan: () => Promise<StackPlan>,
  ): Promise<(StackReference & Pick<Stack, 'tags'>) | undefined> {
    const { tags: more, ...content } = await plan();
    const tags = this.tags.of(key, more);
    try {
      return { ...(await cloud.heat.create(ctx, this.tags.nameOf(key), { ...content, tags })), tags };
    } catch (error) {
      if (error instanceof DriverError && error.code === 'stack-exists') return undefined;
      throw error;
    }
  }
}

const generationOf = (stack: Stack): number => keyOf(stack)?.generation ?? 0;

function stacksOf({ kind, id }: StackKey, all: readonly Stack[]): readonly Stack[] {
  const own = all.filter(stack => {
    const key = keyOf(stack);
    return key?.kind === kind && key.id === id;
  });
  return own.sort((a, b) => generationOf(b) - generationOf(a));
}
