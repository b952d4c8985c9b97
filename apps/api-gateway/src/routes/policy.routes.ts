import {
  closed,
  exact,
  listOf,
  named,
  nullable,
  oneOf,
  policyAttachment,
  primitives as p,
} from '@stave/contracts/schemas';
import { policyTypes, type PolicyTargetType } from '@stave/domain';
import { unionOf } from '../schemas/list-fields.js';
import { mapOf, page, resource } from '../schemas/resource.schema.js';
import { resourceRoutes } from './resource.routes.js';
import { route, type Route } from './route.js';

const type = oneOf(...policyTypes);
const typeFilter = unionOf<(typeof policyTypes)[number]>()(...policyTypes);

const policy = named('Policy', resource({ type, version: p.anyString, properties: p.anyObject }));

const targetType = oneOf('cluster', 'nodeGroup', 'containerSet');

const attachment = named(
  'AttachedPolicy',
  resource({ type, targetType, targetId: p.anyString, enabled: p.anyBoolean, priority: p.anyInteger }),
);

const source = exact({
  ...p.texts('policyId', 'policy'),
  revision: p.anyInteger,
  target: exact({ type: targetType, id: p.anyString }),
});

const effectivePolicy = named(
  'EffectivePolicy',
  exact({
    properties: {
      ...mapOf(exact({ value: {}, source: nullable(source) })),
      description: 'each property with the policy that it comes from; null: a default',
    },
    rules: {
      ...listOf(exact({ property: p.anyString, rule: oneOf('only', 'never', 'hard', 'most'), value: {}, source })),
      description: 'the hard rules of all levels, which hold together',
    },
  }),
);

const effective = {
  type: 'object',
  additionalProperties: effectivePolicy,
  description: 'by type of policy; policies of scaling as scalingOut and scalingIn',
};

const policiesOf = named('PoliciesOfTarget', exact({ items: listOf(attachment), effective }));

const waiting = { minPosition: p.whole(0, Number.MAX_SAFE_INTEGER) };

/** The routes of the policies of one type of target. */
function targetRoutes(one: string, path: string, type: PolicyTargetType, words: string): Route[] {
  const fixed = { targetType: type };
  const dispatch = { resource: 'policy', target: { target: 'id', id: 'policy' }, fixed } as const;
  return [
    route(`list${one}Policies`, 'GET', `${path}/:id/policies`, {
      summary: `List the policies of a ${words}, and what they result in`,
      query: closed(waiting),
      answers: { 200: policiesOf },
      dispatch: { resource: 'policy', verb: 'of-target', target: { target: 'id' }, fixed },
    }),
    route(`attachPolicyTo${one}`, 'PUT', `${path}/:id/policies/:policy`, {
      summary: `Attach a policy to a ${words}, or change its attachment`,
      description: 'Members that are absent get their default: `enabled` true, `priority` 100.',
      body: policyAttachment,
      bodyOptional: true,
      example: { body: { enabled: true, priority: 100 } },
      answers: { 200: attachment },
      dispatch: { ...dispatch, verb: 'attach' },
    }),
    route(`detachPolicyFrom${one}`, 'DELETE', `${path}/:id/policies/:policy`, {
      summary: `Detach a policy from a ${words}`,
      answers: { 204: null },
      dispatch: { ...dispatch, verb: 'detach' },
    }),
  ];
}

export const policyRoutes = [
  ...resourceRoutes({
    resource: 'policy',
    many: 'policies',
    path: '/v1/policies',
    schema: policy,
    list: {
      filters: { id: 'exact', name: 'name', projectId: 'reference', type: typeFilter },
      sorts: ['createdAt', 'updatedAt', 'name', 'type'],
    },
    create: {
      example: { name: 'fill', type: 'placement', properties: { scorers: { leastMemory: 3 } } },
      startsOperation: false,
    },
    examples: { patch: { properties: { scorers: { leastMemory: 5 } } } },
  }),
  route('listPolicyAttachments', 'GET', '/v1/policies/:id/attachments', {
    summary: 'List what a policy is attached to',
    query: closed({ limit: p.whole(1, 500), cursor: p.text(4096, 1), ...waiting }),
    answers: { 200: page(attachment, {}) },
    dispatch: { resource: 'policy', verb: 'attachments' },
  }),
  ...targetRoutes('Cluster', '/v1/clusters', 'cluster', 'cluster'),
  ...targetRoutes('ContainerSet', '/v1/container-sets', 'containerSet', 'container set'),
  ...targetRoutes('NodeGroup', '/v1/node-groups', 'nodeGroup', 'node group'),
];
