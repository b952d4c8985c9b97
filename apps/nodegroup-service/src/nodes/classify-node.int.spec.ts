import { v7 as uuidv7 } from 'uuid';
import { memberSubject } from '@stave/contracts';
import { groupToken } from '@stave/domain';
import { eventually } from '@stave/platform/testing';
import { PROJECT, type Replica } from '@stave/service-kit/testing';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

let harness: NodeGroupHarness;
beforeEach(async () => {
  harness = await NodeGroupHarness.open();
});
afterEach(() => harness.close());

interface Unit {
  readonly resourceId: string;
  readonly generation: number;
}

async function verdicts(replica: Replica, ...units: readonly Unit[]): Promise<readonly string[]> {
  const meta = { actor: { keyId: 'conductor:one', role: 'admin', project: PROJECT } } as const;
  const body = { units: units.map(unit => ({ ...unit, kind: 'node' })) };
  return (await replica.ask<{ verdicts: readonly string[] }>('orphan', 'classify', body, meta)).verdicts;
}

it('units below the built generation are classified as gone, and units that may be needed are kept', async () => {
  const replica = await harness.replica();
  const { groupIds } = await harness.cluster({ a: 1 });
  await eventually(async () => (await harness.all('NodeDeclared')).length === 1);
  const resourceId = (await harness.all('NodeDeclared'))[0]?.stream.slice('node-'.length) ?? '';
  expect(await verdicts(replica, { resourceId, generation: 1 })).toEqual(['live']);
  await harness.workOnce();
  await replica.ask('node', 'action', { id: resourceId, action: 'rebuild' });
  const both = [1, 2].map(generation => ({ resourceId, generation }));
  expect(await verdicts(replica, ...both)).toEqual(['live', 'live']);
  await eventually(async () => {
    await harness.workOnce();
    return (await harness.all('NodeBecameActive')).length === 2;
  });
  expect(await verdicts(replica, ...both)).toEqual(['gone', 'live']);
  expect(await verdicts(replica, { resourceId: uuidv7(), generation: 1 })).toEqual(['never']);
  expect(groupIds).toHaveLength(1);
});

it('a conductor of another group keeps what is gone, and that of its own group learns it', async () => {
  const replica = await harness.replica();
  await harness.cluster({ a: 1 });
  await eventually(async () => (await harness.all('NodeDeclared')).length === 1);
  const resourceId = (await harness.all('NodeDeclared'))[0]?.stream.slice('node-'.length) ?? '';
  await harness.workOnce();
  await replica.ask('node', 'action', { id: resourceId, action: 'rebuild' });
  await eventually(async () => {
    await harness.workOnce();
    return (await harness.all('NodeBecameActive')).length === 2;
  });
  const askedBy = async (group: string): Promise<unknown> => {
    const subject = memberSubject(groupToken(group), 'nodegroup-service', 'orphan', 'classify');
    const meta = { correlationId: 'c', actor: { keyId: 'x', role: 'admin', project: null } };
    const body = { units: [{ resourceId, kind: 'node', generation: 1 }] };
    return replica.messaging.request(subject, { meta, body, provenGroup: groupToken('') }, { timeoutMs: 60_000 });
  };
  expect(await askedBy('')).toMatchObject({ ok: true, data: { verdicts: ['gone'] } });
  expect(await askedBy('elsewhere')).toMatchObject({ ok: true, data: { verdicts: ['live'] } });
});
