import { Injectable } from '@nestjs/common';
import { Names, type EventContext } from '@stave/service-kit';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { workContext } from './container.tasks.js';

const scope = (projectId: string): string => `${projectId}|container`;

/** The names of containers, unique in their project. */
@Injectable()
export class ContainerNames {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly names: Names,
  ) {}

  /** Throws RefusedError `name-taken`. */
  reserve(projectId: string, name: string, id: string, context: EventContext): Promise<void> {
    const owner = { targetId: id, targetStream: this.projection.containers.stream(id) };
    return this.names.reserve(scope(projectId), name, owner, context);
  }

  /** Releases the name of a container that is deleted. Idempotent. */
  async releaseDeleted(id: string): Promise<void> {
    const state = this.projection.containers.get(id);
    if (!state?.declared || !state.deleted) return;
    const { name, projectId } = state.declared;
    await this.names.release(scope(projectId), name, id, workContext(state));
  }
}
