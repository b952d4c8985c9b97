import type { ReportRequest, ServiceName } from '@stave/contracts';
import type { Messaging } from '@stave/platform';
import type { Feed } from '../events/feed.js';
import type { OperationTraces } from '../operations/operation-traces.js';
import type { RingFollower } from '../ring/ring-follower.js';
import type { CommandLoad } from './command-load.js';
import type { OnLost } from './lost-tasks.js';
import type { RetryOptions } from './report-command.js';

export interface TaskBoardOptions extends RetryOptions {
  readonly messaging: Messaging;
  /** The service whose resources these are, for the hints to conductors. */
  readonly service: ServiceName;
  readonly ring: RingFollower;
  readonly feed: Pick<Feed, 'replaying' | 'isResumed' | 'onReplayed' | 'newer'>;
  readonly onStale?: (report: ReportRequest) => void;
  readonly onLost?: OnLost;
  readonly recoveryGraceMs?: number;
  /** The commands to which claims and tasks are linked; absent: to none. */
  readonly traces?: Pick<OperationTraces, 'of'>;
  /** Absent: tasks are handed out at once. */
  readonly commandLoad?: CommandLoad | undefined;
}
