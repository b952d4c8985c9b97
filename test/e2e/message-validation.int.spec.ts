import { createClusterService } from '@stave/cluster-service';
import { createContainerScheduler } from '@stave/container-scheduler';
import { commandSubject, type ServiceName, type ServiceReply } from '@stave/contracts';
import { messageSchemas } from '@stave/contracts/schemas';
import { createNodeGroupService } from '@stave/nodegroup-service';
import { createLogger, EmbeddedEventStore, MemoryBroker, MemoryDocumentStore, MemoryMessaging } from '@stave/platform';

jest.setTimeout(120_000);

const actor = { keyId: 'test', role: 'admin', project: null } as const;

type WrongMessage = readonly [service: ServiceName, resource: string, verb: string, body: object, problems: string[]];

const wrong: readonly WrongMessage[] = [
  [
    'cluster-service',
    'cluster',
    'create',
    { driver: 5, colour: 'red' },
    ['/colour unknown-member', '/driver wrong-type'],
  ],
  ['cluster-service', 'cluster', 'patch', { id: 'web', patch: { name: 'b' } }, ['/patch/name immutable']],
  ['cluster-service', 'cluster', 'delete', { id: 'web', force: 'yes' }, ['/force wrong-type']],
  ['cluster-service', 'cluster', 'action', { id: 'web', action: 'reboot', type: 'odd' }, ['/type not-allowed']],
  ['cluster-service', 'project', 'create', {}, ['/name required']],
  ['cluster-service', 'cluster-template', 'create', { labels: { env: 1 } }, ['/labels/env wrong-type']],
  [
    'nodegroup-service',
    'node-group',
    'create',
    { clusterId: 'web', count: -1, flavor: { cpus: 1 } },
    ['/count out-of-range', '/flavor/memoryMb required'],
  ],
  ['nodegroup-service', 'node-group', 'patch', { id: 'w', patch: { count: 'three' } }, ['/patch/count wrong-type']],
  ['nodegroup-service', 'node-group', 'action', { id: 'w', action: 'resize', count: -1 }, ['/count out-of-range']],
  ['nodegroup-service', 'node', 'action', { id: 'w-0', action: 'drain', deadline: 'soon' }, ['/deadline malformed']],
  ['nodegroup-service', 'node', 'list', { limit: 501, filter: {} }, ['/limit out-of-range']],
  [
    'container-scheduler',
    'container',
    'create',
    { profile: 5, image: '' },
    ['/image too-short', '/profile wrong-type'],
  ],
  ['container-scheduler', 'container', 'action', { id: 'c', action: 'fly' }, ['/action not-allowed']],
  ['container-scheduler', 'container-profile', 'patch', { id: 'p' }, ['/patch required']],
];

describe('messages to services that bypass the gateway', () => {
  const broker = new MemoryBroker();
  const client = new MemoryMessaging(broker);
  const running: { close(): Promise<unknown> }[] = [];
  let store: EmbeddedEventStore;

  beforeAll(async () => {
    store = await EmbeddedEventStore.open({ memory: true });
    const log = createLogger('test', 'silent');
    for (const create of [createClusterService, createNodeGroupService, createContainerScheduler]) {
      const documentStore = new MemoryDocumentStore();
      const ports = { eventStore: store, documentStore, messaging: new MemoryMessaging(broker), log };
      running.push(await create(ports));
    }
  });
  afterAll(async () => {
    for (const service of running.reverse()) await service.close();
    await store.close();
  });

  async function problemsOf(subject: string, body: unknown, more: object = {}): Promise<string[]> {
    const message = { meta: { correlationId: 'test', actor, ...more }, body };
    const reply = (await client.request(subject, message, { timeoutMs: 60_000 })) as ServiceReply;
    if (reply.ok) throw new Error(`${subject} accepted ${JSON.stringify(body)}`);
    expect(reply.error).toMatchObject({ code: 'validation-failed', kind: 'invalid' });
    return (reply.error.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`).sort();
  }

  it.each(wrong)(
    '%s refuses a wrong %s.%s with every member named, and appends nothing',
    async (service, resource, verb, body, problems) => {
      const head = await store.head();
      expect(await problemsOf(commandSubject(service, resource, verb), body)).toEqual(problems);
      expect(await store.head()).toBe(head);
    },
  );

  it.each(['cluster.get', 'task.claim'])('%s refuses wrong metadata with every member named', async message => {
    const [resource = '', verb = ''] = message.split('.');
    const meta = { actor: { keyId: '', role: 'owner' }, dryRun: 'yes', idempotencyKey: 'k'.repeat(256), who: 'me' };
    const problems = [
      '/meta/actor/keyId too-short',
      '/meta/actor/project required',
      '/meta/actor/role not-allowed',
      '/meta/dryRun wrong-type',
      '/meta/idempotencyKey too-long',
      '/meta/who unknown-member',
    ];
    expect(await problemsOf(commandSubject('cluster-service', resource, verb), { id: 'web' }, meta)).toEqual(problems);
  });

  it.each([...messageSchemas.keys()])('%s refuses an unknown member and a missing body', async subject => {
    const head = await store.head();
    expect(await problemsOf(subject, { unheardOf: true })).not.toEqual([]);
    expect(await problemsOf(subject, undefined)).not.toEqual([]);
    expect(await store.head()).toBe(head);
  });
});
