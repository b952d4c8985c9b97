import { exact, listOf, named, nullable, oneOf, primitives as p } from '@stave/contracts/schemas';
import type { AutoscalingState } from '@stave/domain';
import { unionOf } from './list-fields.js';

const state = unionOf<AutoscalingState>()(
  'steady',
  'scalingOut',
  'scalingIn',
  'held',
  'unknown',
  'atMin',
  'atMax',
  'quotaLimited',
  'contended',
  'disabled',
);

const metric = exact({
  resource: oneOf('cpu', 'memory'),
  use: { ...nullable(p.anyNumber), description: 'CPUs or megabytes of the known members together; null: unknown' },
  target: p.anyNumber,
  ratio: { ...nullable(p.anyNumber), description: 'the use as a share of what the desired members should use' },
  known: { ...p.anyNumber, description: 'members that were sampled, in the mean of the window' },
  unknown: { ...p.anyNumber, description: 'other members that run, in the mean of the window' },
});

const change = exact(
  { at: p.dateTime, ...p.integers('from', 'to') },
  { by: { ...p.anyString, description: 'who asked for it; absent for the autoscaler' } },
);

const evaluation = exact({
  at: p.dateTime,
  recommended: nullable(p.anyInteger),
  ...p.integers('stabilised', 'applied'),
  reason: p.anyString,
});

/** How a container set follows its load now. */
export const containerSetAutoscaling = named(
  'ContainerSetAutoscaling',
  exact(
    {
      state,
      reason: p.anyString,
      desired: p.anyInteger,
      recommended: { ...nullable(p.anyInteger), description: 'what the demand needs now; null: unknown' },
      metrics: listOf(metric),
      lastChange: nullable(change),
      evaluations: listOf(evaluation, { maxItems: 20 }),
    },
    {
      heldUntil: p.dateTime,
      contendedBy: { ...p.anyString, description: 'who changes the number back and forth with the autoscaler' },
    },
  ),
);

const figures = {
  timeline: listOf(exact({ at: p.dateTime, desired: p.anyInteger, reason: p.anyString })),
  ...p.integers('changes', 'reversals'),
  memberHours: p.anyNumber,
  unmetSeconds: {
    ...nullable(p.anyNumber),
    description:
      'in which the demand needed more members than desired, by the target of that time; null: there never was one',
  },
  saturatedSeconds: {
    ...p.anyNumber,
    description: 'in which members used what they may: the demand was at least that',
  },
};

/** What the decisions of now would have done in the past. */
export const backtestAnswer = named(
  'Backtest',
  exact({
    coverage: { ...p.anyNumber, description: 'the share of the time of which the demand is known' },
    ...figures,
    actual: named('BacktestFigures', exact(figures)),
  }),
);
