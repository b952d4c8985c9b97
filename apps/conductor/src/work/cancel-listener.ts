import { Inject, Injectable } from '@nestjs/common';
import { cancelSubject } from '@stave/contracts';
import type { Messaging } from '@stave/platform';
import { ConductorContext } from '../conductor.context.js';
import { MESSAGING } from '../conductor.tokens.js';
import type { Session } from '../session/session.js';
import { TaskRunner } from './task-runner.js';

/** Stops running tasks that a service cancels. */
@Injectable()
export class CancelListener {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly runner: TaskRunner,
    private readonly context: ConductorContext,
  ) {}

  run(session: Session): void {
    const subscription = this.messaging.subscribe(cancelSubject(this.context.id), payload => {
      const taskId = taskIdOf(payload);
      if (taskId !== undefined) this.runner.stop('cancelled', taskId);
    });
    session.onEnd(() => void subscription.close());
  }
}

function taskIdOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('taskId' in payload)) return undefined;
  return typeof payload.taskId === 'string' ? payload.taskId : undefined;
}
