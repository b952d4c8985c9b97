import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { readAt } from '../api/any-path.js';
import { unlessStopped } from '../api/stopped.js';
import type { ContainerSet, SetAutoscalingNow } from '../api/types.js';
import { StepChart } from '../charts/step-chart.js';
import { Empty, CommandLine, ErrorState, Loading } from '../parts/states.js';
import { Age } from '../parts/time.js';
import { OnlyNow } from '../time/time-bar.js';
import { Backtest } from './backtest.js';
import { Evaluations, type Evaluation } from './evaluations.js';
import { wordsOf } from '../parts/words.js';
import { shell } from '../parts/shell-command.js';

const READ_MS = 2_000;
/** As many evaluations as a page keeps while it is open. */
const KEPT = 600;

const useNow = (id: string) =>
  useQuery({
    queryKey: ['autoscaling', id],
    queryFn: ({ signal }) => readAt<SetAutoscalingNow>(`/v1/container-sets/${id}/autoscaling`, {}, signal),
    // an evaluation that changes nothing is no event
    refetchInterval: unlessStopped(READ_MS),
  });

/** The evaluations of the answers since the page was opened, the oldest first: an answer has the last ones only. */
function useEvaluations(now: SetAutoscalingNow | undefined): readonly Evaluation[] {
  const [all, setAll] = useState<readonly Evaluation[]>([]);
  useEffect(() => {
    if (!now) return;
    setAll(before => {
      const known = new Set(before.map(({ at }) => at));
      const fresh = now.evaluations.filter(({ at }) => !known.has(at));
      return fresh.length === 0 ? before : [...before, ...fresh].sort((a, b) => (a.at < b.at ? -1 : 1)).slice(-KEPT);
    });
  }, [now]);
  return all;
}

function Metrics({ metrics }: Pick<SetAutoscalingNow, 'metrics'>) {
  return (
    <div className="tiles small">
      {metrics.map(({ resource, use, target, ratio, known, unknown }) => (
        <section key={resource} className="tile" aria-label={`Use of ${resource}`}>
          <h2>{resource === 'cpu' ? 'CPUs in use' : 'Megabytes in use'}</h2>
          <p className="number">{use === null ? '?' : Math.round(use * 100) / 100}</p>
          <p className="dim">
            {ratio === null ? 'not known yet' : `${Math.round(ratio * 100)} % of what is wanted`}, target{' '}
            {Math.round(target * 100)} % of the limit, {Math.round(known * 10) / 10} members known
            {unknown > 0 ? `, ${Math.round(unknown * 10) / 10} not` : ''}
          </p>
        </section>
      ))}
    </div>
  );
}

function Chart({ set, evaluations }: { readonly set: ContainerSet; readonly evaluations: readonly Evaluation[] }) {
  const [first, last] = [evaluations[0], evaluations.at(-1)];
  const points = (value: (one: Evaluation) => number | null) =>
    evaluations.map(one => ({ at: Date.parse(one.at), value: value(one) }));
  if (!first || !last) return <p className="dim quiet-line">It has not looked yet.</p>;
  return (
    <StepChart
      label={`Members of ${set.name} over time: what the load needed, and what was wanted`}
      from={Date.parse(first.at)}
      to={Math.max(Date.parse(last.at), Date.parse(first.at) + 10_000)}
      lines={[
        { title: 'what the load needed', style: 'second', points: points(({ recommended }) => recommended) },
        { title: 'what it made of it', style: 'first', points: points(({ applied }) => applied) },
      ]}
      limits={[{ title: 'min', value: set.min }, ...(set.max === undefined ? [] : [{ title: 'max', value: set.max }])]}
    />
  );
}

function Saw({ set, now }: { readonly set: ContainerSet; readonly now: SetAutoscalingNow }) {
  const evaluations = useEvaluations(now);
  return (
    <>
      <Chart {...{ set, evaluations }} />
      <Evaluations {...{ set, evaluations }} />
    </>
  );
}

/** What the autoscaler of a set saw, what it did, and what other settings would have done. */
export function SetAutoscaling({ set }: { readonly set: ContainerSet }) {
  const { data: now, error, refetch } = useNow(set.id);
  if (error && !now) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!now) return <Loading />;
  if (set.autoscaling === undefined)
    return (
      <Empty title="This set keeps its size">
        <p>With autoscaling it has as many members as its load needs.</p>
        <CommandLine>{shell`stave container-sets update ${set.name} --set autoscaling.enabled=true --set 'autoscaling.metrics=[{"resource":"cpu","target":0.7}]' --plan`}</CommandLine>
      </Empty>
    );
  const { state, reason, lastChange, heldUntil, contendedBy, desired, recommended } = now;
  return (
    <>
      <OnlyNow>What the autoscaler sees is of now.</OnlyNow>
      <p className="verdict">
        <b>{wordsOf(state)}</b>: {desired} {desired === 1 ? 'member' : 'members'} wanted,{' '}
        {recommended ?? 'an unknown number'} needed: {reason}.
        {lastChange ? (
          <span className="dim">
            {' '}
            Last change {lastChange.from} → {lastChange.to} by {lastChange.by ?? 'the autoscaler'},{' '}
            <Age time={lastChange.at} />.
          </span>
        ) : null}
        {heldUntil ? <span className="dim"> Held until {new Date(heldUntil).toLocaleTimeString()}.</span> : null}
        {contendedBy ? <span className="bad"> {contendedBy} changes the number back and forth with it.</span> : null}
      </p>
      <Metrics metrics={now.metrics} />
      <section className="panel" aria-labelledby="saw">
        <h2 id="saw">What it saw, and what it did</h2>
        <Saw set={set} now={now} />
      </section>
      <Backtest
        path={`/v1/container-sets/${set.id}/actions/backtest`}
        settings={{ autoscaling: { metrics: set.autoscaling.metrics } }}
      />
      <CommandLine>{shell`stave why ${set.name}`}</CommandLine>
    </>
  );
}
