import { containerMembers } from './container.requests.js';
import {
  closed,
  immutables,
  listOf,
  named,
  noBody,
  nullable,
  oneOf,
  removable,
  type Properties,
} from './json-schema.js';
import { policyProperties } from './policy.requests.js';
import * as p from './primitives.js';

const { hostCluster: _cluster, hostNode: _node, ...contents } = containerMembers;

const strategyMembers = {
  maxSurge: p.updateShare,
  maxUnavailable: p.updateShare,
  minReadySeconds: p.whole(0, 3600),
  progressDeadlineSeconds: p.whole(1, 86_400),
  onFailure: oneOf('pause', 'rollback'),
} satisfies Properties;

const backoffMembers = {
  baseSeconds: p.whole(1, 3600),
  maxSeconds: p.whole(1, 86_400),
  resetAfterSeconds: p.whole(1, 86_400),
  giveUpAfter: p.whole(1, 100),
} satisfies Properties;

const seconds = (least: number, most: number) => p.whole(least, most);
/** Members that one step adds or takes away, or a share of the desired number. */
const step = {
  type: ['integer', 'string'],
  minimum: 1,
  maximum: 10_000,
  pattern: '^[1-9][0-9]{0,3}%$',
  description: 'a number of members, or a share of the desired number such as "50%", rounded up',
};
const directionMembers = { stabilisationSeconds: seconds(0, 3600), maxStep: step } satisfies Properties;
const metric = closed({ resource: oneOf('cpu', 'memory'), target: { type: 'number', minimum: 0.01, maximum: 1 } }, [
  'resource',
  'target',
]);

const autoscalingMembers = {
  enabled: p.anyBoolean,
  metrics: listOf(metric, { minItems: 1, maxItems: 2 }),
  windowSeconds: seconds(1, 3600),
  intervalSeconds: seconds(1, 300),
  tolerance: { type: 'number', minimum: 0, maximum: 0.5 },
  warmUpSeconds: seconds(0, 3600),
  scaleOut: closed(directionMembers),
  scaleIn: closed(directionMembers),
  manualHoldSeconds: seconds(0, 86_400),
} satisfies Properties;

/** How a set follows its load, complete. */
export const setAutoscaling = named('SetAutoscaling', closed(autoscalingMembers, ['metrics']));

const autoscalingChanges = closed({
  ...removable(autoscalingMembers),
  metrics: autoscalingMembers.metrics,
  scaleOut: nullable(closed(removable(directionMembers))),
  scaleIn: nullable(closed(removable(directionMembers))),
});

/** The attributes that a set has beside its contents, complete. */
export const setAttributes = {
  updateStrategy: named('SetUpdateStrategy', closed(strategyMembers)),
  backoff: named('SetBackoff', closed(backoffMembers)),
};

export const setOverrides = named('SetOverrides', closed(contents));

const create = named(
  'ContainerSetCreate',
  closed(
    {
      name: p.name,
      profile: p.reference,
      overrides: setOverrides,
      desired: p.count,
      min: p.count,
      max: p.count,
      ...setAttributes,
      autoscaling: setAutoscaling,
    },
    ['profile'],
  ),
);

/** null restores a default, and removes an override. */
const patch = named(
  'ContainerSetPatch',
  closed({
    profile: p.reference,
    overrides: nullable(closed(removable({ ...contents, labels: p.labelChanges, nodeSelector: p.labelChanges }))),
    desired: p.count,
    min: nullable(p.count),
    max: nullable(p.count),
    updateStrategy: nullable(closed(removable(strategyMembers))),
    backoff: nullable(closed(removable(backoffMembers))),
    autoscaling: nullable(autoscalingChanges),
    ...immutables('id', 'name', 'clusterId', 'projectId', 'createdAt'),
  }),
);

const resize = named(
  'ContainerSetResize',
  closed({ count: p.count, change: p.countChange, minStep: p.whole(1, 10_000), bestEffort: p.anyBoolean }),
);

const period = { from: { ...p.text(64, 1), format: 'date-time' }, to: { ...p.text(64, 1), format: 'date-time' } };

/** The body of a backtest of a set: a part of the last day, and settings in place of those in force. */
export const setBacktest = named('ContainerSetBacktest', closed({ ...period, autoscaling: autoscalingChanges }));

/** The body of a backtest of a policy: the set, and properties in place of those of the policy. */
export const policyBacktest = named(
  'PolicyBacktest',
  closed({ ...period, target: p.reference, properties: policyProperties.scaling }, ['target']),
);

export const containerSetRequests = {
  create,
  patch,
  delete: noBody,
  actions: {
    resize,
    scale: named(
      'ContainerSetScale',
      closed({ direction: oneOf('out', 'in'), count: p.whole(1, 10_000) }, ['direction']),
    ),
    roll: named('ContainerSetRoll', closed({ profile: p.reference })),
    restart: noBody,
    rebalance: noBody,
    pause: noBody,
    resume: noBody,
    retry: noBody,
  },
};
