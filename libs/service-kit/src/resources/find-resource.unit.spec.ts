import type { Actor } from '@stave/contracts';
import { findResource, type FoundKind } from './find-resource.js';
import type { Entry } from './resource-model.js';

interface Thing {
  readonly name: string;
  readonly projectId: string;
  readonly deleted: boolean;
}

const uuid = (n: number): string => `0198c5a0-0000-7000-8000-${String(n).padStart(12, '0')}`;
const things: Readonly<Record<string, Thing>> = {
  [uuid(1)]: { name: 'main', projectId: 'default', deleted: false },
  [uuid(2)]: { name: 'main', projectId: 'other', deleted: false },
  [uuid(3)]: { name: 'theirs', projectId: 'other', deleted: false },
};
const kind: FoundKind<Thing> = {
  model: {
    description: 'the thing',
    get: id => things[id],
    ids: () => Object.keys(things),
    lookUp: async id => ({ state: things[id] }) as Entry<Thing | undefined>,
  },
  identity: thing => thing,
};
const administrator: Actor = { keyId: 'k', role: 'admin', project: null };
const member: Actor = { keyId: 'm', role: 'member', project: 'other' };

async function found(actor: Actor, ref: string, more: Partial<FoundKind<Thing>> = {}): Promise<string> {
  return findResource({ actor }, ref, { ...kind, ...more }, async () => undefined).then(
    ({ id }) => id,
    (e: { error: { code: string } }) => e.error.code,
  );
}

it('a name is looked up in the project of the requester, also for the administrator', async () => {
  expect(await found(administrator, 'Main')).toBe(uuid(1));
  expect(await found(member, 'main')).toBe(uuid(2));
  expect(await found(administrator, 'theirs')).toBe('not-found');
});

it('an id is looked up in every project to which the requester has access', async () => {
  expect(await found(administrator, uuid(3))).toBe(uuid(3));
  expect(await found(member, uuid(1))).toBe('not-found');
});

it('a name is looked up among the given ids, whatever their project', async () => {
  expect(await found(administrator, 'theirs', { ids: () => [uuid(3)] })).toBe(uuid(3));
  expect(await found(administrator, 'main', { ids: () => [uuid(1), uuid(2)] })).toBe('ambiguous-name');
});

it.each([uuid(1), 'main', 'nobody'])(
  'where what is known is enough, %s is found or not without the store',
  async ref => {
    const reads: string[] = [];
    const lookUp = (id: string): Promise<Entry<Thing | undefined>> => {
      reads.push(id);
      return kind.model.lookUp(id);
    };
    const find = (asKnown: boolean): Promise<unknown> =>
      findResource(
        { actor: administrator, asKnown },
        ref,
        { ...kind, model: { ...kind.model, lookUp }, awaited: () => [] },
        async () => void reads.push('caught up'),
      ).catch((e: { error: { code: string } }) => e.error.code);
    const acknowledged = await find(false);
    expect(reads).toHaveLength(1);
    expect(await find(true)).toEqual(acknowledged);
    expect(reads).toHaveLength(1);
  },
);
