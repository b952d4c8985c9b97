import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFakeVersion } from '@stave/driver-fake/testing';
import { ApiDocument, DocumentedClient } from './api-document.js';
import { documentedAttachments } from './documented-attachments.js';
import { documentedPolicies } from './documented-policies.js';
import { documentedMachines } from './documented-machines.js';
import { DocumentedRequests } from './documented-requests.js';
import { documentedSets } from './documented-sets.js';
import { EmbeddedStack } from './stack.js';
import type { ResourceView } from './views.js';

jest.setTimeout(120_000);

/** Operations that the documented requests cannot use, each with the reason. */
const unreached: Readonly<Record<string, string>> = {
  login: 'it needs an issuer, which browser-sign-in.e2e.spec.ts has',
  loginCallback: 'it needs an issuer, which browser-sign-in.e2e.spec.ts has',
  acceptLossCluster: 'it needs a mass loss, which mass-loss.e2e.spec.ts makes',
};

/** As `GET /v1/whoami` answers. */
const identity = {
  subject: 'k',
  method: 'api-key',
  keyId: 'k',
  expiresAt: null,
  operator: true,
  projects: [],
  role: 'admin',
  project: null,
};

describe('the OpenAPI document of the running product', () => {
  let drivers: string;
  let stack: EmbeddedStack;
  let document: ApiDocument;
  let requests: DocumentedRequests;
  let cluster: ResourceView;
  beforeAll(async () => {
    drivers = await mkdtemp(join(tmpdir(), 'stave-documented-'));
    await makeFakeVersion(join(drivers, 'fake_v1_1'), '1.1.0', '1.0.0');
    stack = await EmbeddedStack.start(undefined, { DRIVERS_PATH: drivers, DRIVERS_ENABLED: 'fake@1.0.0,fake@1.1.0' });
    document = await ApiDocument.of(stack.url);
    requests = new DocumentedRequests(new DocumentedClient(stack.url, stack.adminKey, document));
  });
  afterAll(async () => {
    await stack?.close();
    await rm(drivers, { recursive: true, force: true });
  });

  it('the OpenAPI document allows no answer with an undeclared member or without a required one', () => {
    const headers = new Headers({ 'content-type': 'application/json', 'x-correlation-id': 'c' });
    const check = (body: object): void =>
      document.check('GET', '/v1/whoami', { status: 200, headers, text: '', body, request: 'GET /v1/whoami' });
    const { operator: _, ...rest } = identity;
    expect(() => check(identity)).not.toThrow();
    expect(() => check({ ...identity, secret: 'x' })).toThrow(/additional properties.*secret/);
    expect(() => check(rest)).toThrow(/required property 'operator'/);
  });

  it('the OpenAPI document allows missing members only in answers with chosen fields, and no undeclared header', () => {
    const check = (target: string, more: Record<string, string>, body: object): void => {
      const headers = new Headers({ 'content-type': 'application/json', 'x-correlation-id': 'c', ...more });
      document.check('GET', target, { status: 200, headers, text: '', body, request: `GET ${target}` });
    };
    expect(() => check('/v1/clusters/c?fields=name', {}, { id: 'c', name: 'web' })).not.toThrow();
    expect(() => check('/v1/clusters/c?fields=name', {}, { name: 'web' })).toThrow(/required property 'id'/);
    expect(() => check('/v1/clusters/c', {}, { id: 'c', name: 'web' })).toThrow(/required property/);
    expect(() => check('/v1/clusters?fields=name', {}, { items: [{ id: 'c' }], nextCursor: null })).not.toThrow();
    expect(() => check('/v1/clusters', {}, { items: [{ id: 'c' }], nextCursor: null })).toThrow(/required property/);
    expect(() => check('/v1/whoami', { location: '/' }, {})).toThrow(/Location, which is not declared/);
  });

  it('describes the answers of probes and documents', () => requests.probes());
  it('describes the answers about projects and API keys', () => requests.access());
  it('describes the answers about drivers, conductors, rings and read models', () => requests.registry());
  it('describes the answers about machines', () =>
    documentedMachines(new DocumentedClient(stack.url, stack.adminKey, document)));
  it('describes the answers about templates', async () => void (cluster = await requests.templates()));
  it('describes the answers about a cluster', () => requests.cluster(cluster));
  it('describes the answers about node groups', () => requests.nodeGroups(cluster));
  it('describes the answers about containers', () => requests.containers(cluster));
  it('describes the answers about policies', () =>
    documentedPolicies(new DocumentedClient(stack.url, stack.adminKey, document), cluster));
  it('describes the answers about networks and volumes', () =>
    documentedAttachments(new DocumentedClient(stack.url, stack.adminKey, document)));
  it('describes the answers about container sets and utilisation', () =>
    documentedSets(new DocumentedClient(stack.url, stack.adminKey, document)));
  it('describes the answers about nodes', () => requests.nodes(cluster));
  it('describes the answers to retries', () => requests.retries());
  it('describes the answers about operations and events', () => requests.operations());
  it('describes the answers to the deletion of a cluster and the drain of a conductor', () => requests.end(cluster));

  it('the tests reach every operation of the OpenAPI document, except those with a stated reason', () => {
    expect(document.operationIds.filter(id => !document.reached.has(id))).toEqual(Object.keys(unreached));
  });
});
