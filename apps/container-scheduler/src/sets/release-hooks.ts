import { Injectable } from '@nestjs/common';
import { noteReleaseRequested, type ContainerState } from '@stave/domain';
import { HookCalls, type EventContext } from '@stave/service-kit';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** Whether the hook of the removal that waits has not been called yet. */
export const awaitsCall = ({ release }: ContainerState): boolean => release?.url !== undefined && !release.isRequested;

/** Asks the hosts of hooks to release containers. */
@Injectable()
export class ReleaseHooks {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly calls: HookCalls,
  ) {}

  /** Begins to call the hook of the container, unless that is under way or done. */
  call(container: ContainerState | undefined, context: EventContext): void {
    if (!container || !awaitsCall(container)) return;
    const { id: containerId, name, clusterId, projectId: project } = container.declared;
    const { url = '', until = '', onTimeout, setId } = container.release ?? {};
    this.calls.begin(containerId, {
      url,
      project,
      body: { containerId, name, setId, clusterId, until, onTimeout },
      note: outcome =>
        this.projection.containers.execute(containerId, s => noteReleaseRequested(s, until, outcome), context),
    });
  }
}
