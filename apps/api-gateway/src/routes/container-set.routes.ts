import {
  alike,
  closed,
  containerMembers,
  exact,
  named,
  nullable,
  policyBacktest,
  primitives as p,
  setAttributes,
  setAutoscaling,
  setBacktest,
  setOverrides,
} from '@stave/contracts/schemas';
import type { ContainerSetStatus } from '@stave/domain';
import { backtestAnswer, containerSetAutoscaling } from '../schemas/autoscaling.schemas.js';
import { unionOf } from '../schemas/list-fields.js';
import { resource } from '../schemas/resource.schema.js';
import { resourceRoutes } from './resource.routes.js';
import { route, type Route } from './route.js';

const status = unionOf<ContainerSetStatus>()('CREATING', 'ACTIVE', 'UPDATING', 'DEGRADED', 'PAUSED', 'DELETING');

const { hostCluster: _cluster, hostNode: _node, ...contents } = containerMembers;
const counts = exact(p.integers('total', 'available', 'outdated', 'pending', 'failed'));
const rollout = closed({
  ...p.integers('from', 'to', 'done', 'total'),
  status: { type: 'string', enum: ['RUNNING', 'PAUSED', 'GOING_BACK'] },
});

const containerSet = named(
  'ContainerSet',
  resource(
    {
      ...alike(p.anyString, 'clusterId', 'profileId'),
      profileRevision: p.anyInteger,
      overrides: setOverrides,
      contents: closed(contents),
      ...p.integers('desired', 'min'),
      ...setAttributes,
      status,
      counts,
      rollout: nullable(rollout),
      backoffUntil: nullable(p.dateTime),
    },
    { max: p.anyInteger, autoscaling: setAutoscaling, statusReason: p.anyString },
  ),
);

const resourceRoutesOfSets = resourceRoutes({
  resource: 'container-set',
  schema: containerSet,
  list: {
    filters: {
      id: 'exact',
      name: 'name',
      projectId: 'reference',
      ...alike('reference', 'clusterId', 'profileId'),
      status,
      image: ['text', 'contents.image'],
      desired: 'number',
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'status', 'desired', 'clusterId'],
  },
  create: {
    example: {
      name: 'web',
      profile: 'nginx',
      desired: 3,
      min: 1,
      max: 10,
      overrides: { env: { MODE: 'test' } },
      updateStrategy: { maxSurge: 1, maxUnavailable: 0, minReadySeconds: 5 },
    },
    description:
      'Keeps `desired` containers of the profile running. The profile is taken as it is now; a member in `overrides` replaces the same ' +
      'member of the profile completely. The containers are found with `GET /v1/containers?setId=`.',
  },
  examples: {
    patch: { max: 20, autoscaling: { enabled: true, metrics: [{ resource: 'cpu', target: 0.6 }] } },
    resize: { change: '+50%', minStep: 2, bestEffort: true },
    scale: { direction: 'out', count: 2 },
    roll: { profile: 'nginx' },
  },
  summaries: {
    resize: 'Change the desired number of a container set',
    scale: 'Scale a container set out or in',
    roll: 'Replace the members of a container set by those of the present revision of a profile',
    restart: 'Replace each member of a container set by another one of the same contents',
    rebalance: 'Move members of a container set from zones or nodes that have more than their share',
    pause: 'Pause the rollout of a container set',
    resume: 'Resume the rollout of a container set',
    retry: 'Retry what failed in a container set',
  },
});

const autoscalingRoute = route('getContainerSetAutoscaling', 'GET', '/v1/container-sets/:id/autoscaling', {
  summary: 'Get how a container set follows its load now',
  description:
    'What the demand of the last window needs, and why the desired number is what it is. `applied` of an evaluation is the desired number after it.',
  answers: { 200: containerSetAutoscaling },
  dispatch: { resource: 'container-set', verb: 'autoscaling' },
});

const backtest = { answers: { 200: backtestAnswer } } as const;

const backtestRoutes = [
  route('backtestContainerSet', 'POST', '/v1/container-sets/:id/actions/backtest', {
    summary: 'Repeat the last day of a container set with other settings of autoscaling',
    description:
      'The demand is that of then; what users and rollouts did is taken from the log. Without `autoscaling`, the settings that were in force. Changes nothing.',
    body: setBacktest,
    bodyOptional: true,
    example: { body: { autoscaling: { tolerance: 0.2 } } },
    dispatch: { resource: 'container-set', verb: 'backtest' },
    ...backtest,
  }),
  route('backtestPolicy', 'POST', '/v1/policies/:id/actions/backtest', {
    summary: 'Repeat the last day of a container set with a policy of scaling',
    description: 'As for a container set, with `properties` in place of those of the policy. Changes nothing.',
    body: policyBacktest,
    example: { body: { target: 'web', properties: { cooldownSeconds: 300 } } },
    dispatch: { resource: 'policy', verb: 'backtest' },
    ...backtest,
  }),
];

export const containerSetRoutes: readonly Route[] = [...resourceRoutesOfSets, autoscalingRoute, ...backtestRoutes];
