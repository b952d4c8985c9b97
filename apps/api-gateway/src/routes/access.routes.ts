import {
  alike,
  closed,
  exact,
  grantedRole,
  keyRole,
  listOf,
  named,
  nullable,
  oneOf,
  primitives as p,
  projectMember,
  projectQuotas,
  subject,
} from '@stave/contracts/schemas';
import { quotaDimensions } from '@stave/domain';
import { page, resource } from '../schemas/resource.schema.js';
import { resourceRoutes } from './resource.routes.js';
import { route } from './route.js';

const onlyOnce = { ...p.anyString, description: 'only in the response to the request that created or rotated the key' };
const nullableTime = nullable(p.dateTime);
const apiKey = {
  role: grantedRole,
  project: nullable(p.anyString),
  projectId: nullable(p.anyString),
  prefix: { ...nullable(p.anyString), description: 'the beginning of the key; null for keys of earlier releases' },
  expiresAt: { ...nullableTime, description: 'null: never' },
  lastUsedAt: { ...nullableTime, description: 'up to a minute late; null: not used yet' },
};

const projectRoutes = resourceRoutes({
  resource: 'project',
  schema: named(
    'Project',
    resource({ description: p.anyString, labels: p.labels, status: oneOf('ACTIVE', 'DISABLED') }),
  ),
  list: { filters: { id: 'exact', name: 'name', status: 'exact' }, sorts: ['createdAt', 'name'] },
  writeAccess: 'operator',
  patchAccess: 'admin',
  create: { example: { name: 'shop', description: 'web shop' }, startsOperation: false },
  examples: { patch: { description: 'web shop, all regions' } },
  summaries: {
    disable:
      'Disable a project: requests change nothing in it, and only its administrators read it; accepted work continues',
    enable: 'Enable a project that was disabled',
  },
});

const apiKeyRoutes = resourceRoutes({
  resource: 'api-key',
  schema: named('ApiKey', resource(apiKey, { key: onlyOnce })),
  list: { filters: { id: 'exact', projectId: 'reference', role: 'exact' }, sorts: ['createdAt', 'role'] },
  readAccess: 'admin',
  writeAccess: 'admin',
  history: false,
  create: {
    example: { project: 'shop', role: 'member', name: 'ci', expiresAt: '2031-01-01T00:00:00Z' },
    description: 'A key with the role `operator` belongs to no project; only operators make one.',
    startsOperation: false,
  },
  examples: { rotate: { overlap: '10m' } },
  summaries: { rotate: 'Replace the secret of an API key; the former one works for `overlap`, by default not at all' },
});

const grant = named('ProjectRole', exact({ id: p.anyString, name: p.anyString, role: keyRole }));
const identity = exact(
  {
    subject: p.anyString,
    method: oneOf('api-key', 'jwt', 'keystone', 'cookie'),
    expiresAt: nullableTime,
    operator: p.anyBoolean,
    projects: { ...listOf(grant), description: 'the first 500 of an operator, who may work in all' },
  },
  {
    name: p.anyString,
    issuer: { ...p.anyString, description: 'the issuer of the token; absent with an API key' },
    ...{ keyId: p.anyString, role: keyRole, project: nullable(p.anyString) },
  },
);

export const whoamiRoute = route('whoami', 'GET', '/v1/whoami', {
  summary: 'Get who the requester is, by what, until when, and with which roles in which projects',
  answers: { 200: named('WhoAmI', identity) },
});

const quotas = named(
  'ProjectQuotas',
  exact({
    projectId: p.anyString,
    limits: { ...exact(alike(nullable(p.anyInteger), ...quotaDimensions)), description: 'null: open' },
    used: exact({ ...alike(p.anyInteger, ...quotaDimensions), cpus: p.anyNumber }),
    revision: p.anyInteger,
  }),
);

const quotaRoutes = [
  route('getProjectQuotas', 'GET', '/v1/projects/:id/quotas', {
    summary: 'Get the limits of a project, and what of them is used',
    answers: { 200: quotas },
    dispatch: { resource: 'project', verb: 'quotas' },
  }),
  route('updateProjectQuotas', 'PUT', '/v1/projects/:id/quotas', {
    summary: 'Set the limits of a project',
    description:
      'Replaces all limits: a dimension that is absent or null is open. A limit below what is used holds for what is asked for next.',
    access: 'operator',
    body: projectQuotas,
    example: { body: { limits: { clusters: 20, nodes: 200, keys: 100 } } },
    answers: { 200: quotas },
    dispatch: { resource: 'project', verb: 'limit' },
  }),
];

const member = named('ProjectMember', exact({ subject: p.anyString, role: keyRole }));
const memberPath = '/v1/projects/:id/members/:subject';
const ofMember = {
  access: 'admin',
  params: closed({ id: p.reference, subject }, ['id', 'subject']),
} as const;
const memberExample = { params: { id: 'shop', subject: 'alice@example.com' } };

const memberRoutes = [
  route('listProjectMembers', 'GET', '/v1/projects/:id/members', {
    summary: 'List the members of a project and their roles, by subject',
    description: 'Those who have their role by a rule of the configuration are not listed.',
    query: closed({
      limit: p.whole(1, 500),
      cursor: p.text(4096, 1),
      minPosition: p.whole(0, Number.MAX_SAFE_INTEGER),
    }),
    answers: { 200: page(member, {}) },
    dispatch: { resource: 'project', verb: 'members' },
  }),
  route('setProjectMember', 'PUT', memberPath, {
    ...ofMember,
    summary: 'Give somebody who signs in a role in a project, or another one',
    description: 'It adds to the roles that rules give to the subject: the strongest counts, within seconds.',
    body: projectMember,
    example: { ...memberExample, body: { role: 'member' } },
    answers: { 200: member },
    dispatch: { resource: 'project', verb: 'attach' },
  }),
  route('removeProjectMember', 'DELETE', memberPath, {
    ...ofMember,
    summary: 'Remove a member from a project; roles that rules give stay',
    example: memberExample,
    answers: { 204: null },
    dispatch: { resource: 'project', verb: 'detach' },
  }),
];

export const accessRoutes = [...projectRoutes, ...memberRoutes, ...quotaRoutes, ...apiKeyRoutes, whoamiRoute];
