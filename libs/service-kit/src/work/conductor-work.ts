import { Inject, Injectable } from '@nestjs/common';
import { staleSubject, type ReportRequest } from '@stave/contracts';
import { SERVICE_OPTIONS, type ServiceOptions } from '../composition/ports.js';
import { Feed } from '../events/feed.js';
import { OperationTraces } from '../operations/operation-traces.js';
import { GroupProof } from '../ring/group-proof.js';
import { RingFollower } from '../ring/ring-follower.js';
import { HealthReports, type HealthSource } from './health-reports.js';
import type { ClassifyUnit, GroupsOfUnit } from './orphan-log.js';
import type { OnLost } from './lost-tasks.js';
import { ServiceWork } from './service-work.js';
import { TaskBoard } from './task-board.js';
import type { TaskSource } from './task-source.js';

/** The work of one resource type that conductors claim, and how a unit found on the infrastructure is classified. */
export interface TaskDeclaration<S> {
  readonly source: TaskSource<S>;
  readonly classify: ClassifyUnit;
  readonly groupsOf: GroupsOfUnit;
}

export interface Workload {
  readonly board: Pick<TaskBoard<unknown>, 'claim' | 'report'> & {
    readonly lost: Pick<TaskBoard<unknown>['lost'], 'recovered'>;
  };
  readonly classify: ClassifyUnit;
  readonly groupsOf: GroupsOfUnit;
}

@Injectable()
export class ConductorWork {
  /** Undefined for a service whose resources have no health. */
  health: Pick<HealthReports<unknown>, 'expected' | 'observed'> | undefined;
  private readonly workloads = new Map<string, Workload>();
  private readonly traces: OperationTraces;

  constructor(
    @Inject(SERVICE_OPTIONS)
    private readonly options: Pick<ServiceOptions, 'service' | 'messaging' | 'log' | 'commandLoad'>,
    private readonly ring: RingFollower,
    private readonly feed: Feed,
    private readonly proof: GroupProof,
  ) {
    this.traces = new OperationTraces(feed);
  }

  /** The work of the resource types with tasks; those that are connected first are handed out first. */
  get tasks(): ServiceWork {
    return new ServiceWork(this.workloads, this.options.service, this.proof);
  }

  /** Connects a resource type with tasks; the board is to be updated at every change of a resource. */
  addTasks<S>({ source, classify, groupsOf }: TaskDeclaration<S>): TaskBoard<S> {
    const { messaging, service, log, commandLoad } = this.options;
    const onStale = ({ taskId, conductor }: ReportRequest): void => {
      log.warn({ taskId, conductor }, 'stale report refused');
      messaging.publish(staleSubject, { conductor });
    };
    const onLost: OnLost = fields => log.error(fields, 'a task whose conductors died repeatedly is ended');
    const board = new TaskBoard(source, {
      messaging,
      service,
      ring: this.ring,
      feed: this.feed,
      onStale,
      onLost,
      commandLoad,
      traces: this.traces,
    });
    this.workloads.set(source.type, { board, classify, groupsOf });
    return board;
  }

  /** Connects the resource type with health; `changed` is to be called at every change of a resource. */
  addHealth<S>(source: HealthSource<S>): Pick<HealthReports<S>, 'changed'> {
    const reports = new HealthReports(source, this.ring, this.feed);
    this.health = reports;
    return reports;
  }
}
