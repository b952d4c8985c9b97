import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expectStatus, uniqueName, type StaveClient } from '@stave/testing';
import { rolesFile, rolesIn } from '../api-document/roles-page.js';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ResourceView } from './views.js';

const identities = ['none', 'reader', 'member', 'admin', 'other', 'operator'] as const;
type Identity = (typeof identities)[number];
const roles = ['public', 'reader', 'member', 'admin', 'operator'] as const;

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}

interface Request {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Whether it names a resource, which does not exist. */
  readonly isOfResource: boolean;
}

/** Streams that do not end. */
const endless = ['/v1/events'];
/** The rank of each identity; `other` is an administrator of another project. */
const rankOf = (identity: Identity): number =>
  identity === 'other' ? roles.indexOf('admin') : roles.findIndex(role => role === identity);

/** Sends every operation of the API with the credential of each role, and without one. */
export function describeRoles(stack: StackOf): void {
  describe('roles', () => {
    const clients = new Map<Identity, StaveClient>();
    let requests: readonly Request[];
    let required: ReadonlyMap<string, string>;

    beforeAll(async () => {
      const { url } = stack();
      const { api } = new Fleet(stack());
      const project = async (): Promise<string> =>
        expectStatus(await api.post<ResourceView>('/v1/projects', { name: uniqueName('team') }), 201).body.id;
      const [own, foreign] = [await project(), await project()];
      const key = async (of: string, role: string): Promise<StaveClient> =>
        api.as(expectStatus(await api.post<{ key: string }>('/v1/api-keys', { project: of, role }), 201).body.key);
      for (const role of ['reader', 'member', 'admin'] as const) clients.set(role, await key(own, role));
      clients.set('other', await key(foreign, 'admin'));
      clients.set('operator', api);
      required = rolesIn(await readFile(rolesFile, 'utf8'));
      const answer = await fetch(`${url}/openapi.json`);
      const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
      requests = Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => requestOf(path, method, operation)),
      );
    });

    /** A change is only planned, and names resources that do not exist: nothing is changed. */
    function requestOf(
      path: string,
      method: string,
      { operationId, parameters = [], requestBody }: Operation,
    ): Request {
      const filled = path.replace(/\{\w+\}/g, () => randomUUID());
      const isPlannable = parameters.some(({ name }) => name === 'dryRun');
      const type = Object.values(requestBody?.content ?? {})[0];
      return {
        id: operationId,
        method: method.toUpperCase(),
        path: `${filled}${isPlannable ? '?dryRun=true' : ''}`,
        body: type?.example,
        isOfResource: filled !== path,
      };
    }

    async function statusFor(identity: Identity, { method, path, body }: Request): Promise<number> {
      const client = clients.get(identity);
      const type = method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {};
      if (client) return (await client.send(method, path, { ...type, ...(body === undefined ? {} : { body }) })).status;
      const headers = { 'content-type': type.contentType ?? 'application/json' };
      const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
      const answer = await fetch(`${stack().url}${path}`, { method, ...sent, redirect: 'manual' });
      await answer.body?.cancel();
      return answer.status;
    }

    /** What the rights decide: 401 without a credential, 403 below the role, anything else from the role on. */
    const outcome = (status: number): number | 'admitted' => (status === 401 || status === 403 ? status : 'admitted');

    function expected(identity: Identity, { id }: Request): number | 'admitted' {
      const role = roles.findIndex(each => each === required.get(id));
      if (role === 0) return 'admitted';
      if (identity === 'none') return 401;
      return rankOf(identity) >= role ? 'admitted' : 403;
    }

    it('every operation has a role in the reference, and what changes something is never for readers', () => {
      const known = ['public', 'reader', 'member', 'admin', 'operator'];
      expect(requests.map(({ id }) => [id, known.includes(required.get(id) ?? '')])).toEqual(
        requests.map(({ id }) => [id, true]),
      );
      expect(required.size).toBe(requests.length);
      expect(requests.filter(({ id, method }) => method !== 'GET' && required.get(id) === 'reader')).toEqual([]);
      const isOutside = ({ path }: Request): boolean => !path.startsWith('/v1/') || path.startsWith('/v1/auth');
      expect(requests.filter(r => (required.get(r.id) === 'public') !== isOutside(r))).toEqual([]);
    });

    it.each(identities)(
      'the credential %s is admitted to exactly the operations that the reference says',
      async identity => {
        const asked = requests.filter(({ path, isOfResource }) => isOfResource || !endless.includes(path));
        const found: unknown[] = [];
        for (const request of asked) {
          const status = await statusFor(identity, request);
          found.push([request.id, outcome(status)]);
        }
        expect(found).toEqual(asked.map(request => [request.id, expected(identity, request)]));
      },
    );
  });
}
