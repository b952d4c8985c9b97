import { Inject, Injectable } from '@nestjs/common';
import { setImmediate as turn } from 'node:timers/promises';
import {
  instantMs,
  omitUndefined,
  rememberedMs,
  SetBacktest,
  type Backtest,
  type ContainerSetEvent,
  type ContainerSetState,
  type ScalingPolicy,
  type SetAutoscaling,
} from '@stave/domain';
import type { EventStore } from '@stave/platform';
import { EVENT_STORE } from '@stave/service-kit';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { DemandHistory } from './demand-history.js';
import { ScalingPolicyHistory } from './scaling-policy-history.js';

/** The past is repeated in pieces of this length, between which other work has its turn. */
const PIECE_MS = 600_000;

export interface BacktestRequest {
  readonly set: ContainerSetState;
  /** Milliseconds. */
  readonly from: number;
  readonly to: number;
  /** In place of the settings that were in force. */
  readonly autoscaling?: SetAutoscaling;
  /** In place of the policies that were in force, by direction. */
  readonly policies?: { readonly out?: ScalingPolicy; readonly in?: ScalingPolicy };
}

/** Repeats the past of container sets from the log and from their stored demand. Changes nothing. */
@Injectable()
export class SetBacktests {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly policies: ScalingPolicyHistory,
    private readonly demand: DemandHistory,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  async run({ set, from, to, autoscaling, policies }: BacktestRequest): Promise<Backtest> {
    const { id, clusterId } = set.declared;
    const settings = autoscaling ?? set.spec.autoscaling;
    const since = Math.max(instantMs(set.createdAt), from - (settings ? rememberedMs(settings) : 0));
    const { state, streamRevision } = await this.projection.sets.asOf(id, ({ time }) => instantMs(time) <= since);
    const events = await this.eventsAfter(id, streamRevision, to);
    const inForce = await this.policies.of(id, to);
    // what is tried holds for all of the time, also before any policy was attached
    const tried = [{ from: -Infinity, policies: {} }, ...inForce].map(each => {
      return { ...each, policies: { ...each.policies, ...policies } };
    });
    const { demand, begins } = await this.demand.between(id, since - windowMs(settings), to);
    const backtest = new SetBacktest({
      state: this.projection.sets.existing({ state }).state,
      ...{ events, since, from: Math.max(from, since), to, demand, begins },
      pauses: await this.pausesOf(clusterId, to),
      policies: tried,
      ...omitUndefined({ autoscaling }),
    });
    for (let at = since; at < to; at += PIECE_MS) {
      backtest.advance(at);
      await turn();
    }
    return backtest.result();
  }

  private async eventsAfter(id: string, revision: number, to: number) {
    const events = await this.store.readStream(`containerSet-${id}`, { from: revision + 1 });
    return events.flatMap(({ type, data, metadata: { time } }) =>
      instantMs(time) <= to ? [{ event: { type, data } as ContainerSetEvent, time }] : [],
    );
  }

  private async pausesOf(clusterId: string, to: number): Promise<readonly { from: number; to: number }[]> {
    const pauses: { from: number; to: number }[] = [];
    for (const { type, metadata } of await this.store.readStream(`cluster-${clusterId}`)) {
      const at = instantMs(metadata.time);
      const last = pauses.at(-1);
      if (type === 'ClusterPaused') pauses.push({ from: at, to });
      if (type === 'ClusterResumed' && last) last.to = at;
    }
    return pauses;
  }
}

const windowMs = (settings: SetAutoscaling | undefined): number => 1000 * (settings?.windowSeconds ?? 0);
