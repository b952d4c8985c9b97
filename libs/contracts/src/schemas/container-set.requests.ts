import { containerMembers } from './container.requests.js';
import { closed, immutables, named, noBody, nullable, oneOf, removable, type Properties } from './json-schema.js';
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
    },
    ['profile'],
  ),
);

/** null restores a default, and removes an override. */
const patch = named(
  'ContainerSetPatch',
  closed({
    profile: p.reference,
    overrides: nullable(closed(removable(contents))),
    desired: p.count,
    min: nullable(p.count),
    max: nullable(p.count),
    updateStrategy: nullable(closed(removable(strategyMembers))),
    backoff: nullable(closed(removable(backoffMembers))),
    ...immutables('id', 'name', 'clusterId', 'projectId', 'createdAt'),
  }),
);

const change = { type: ['integer', 'string'], minimum: -10_000, maximum: 10_000, pattern: '^[+-]?[0-9]{1,6}%$' };
const resize = named(
  'ContainerSetResize',
  closed({ count: p.count, change, minStep: p.whole(1, 10_000), bestEffort: p.anyBoolean }),
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
