import { randomUUID } from 'node:crypto';
import { connectMongo, DocumentStoreUnavailableError, type DocumentStore } from '@stave/platform';
import { describeDocumentStoreContract, eventually } from '@stave/platform/testing';
import {
  describeLists,
  describeRebuild,
  describeReplacedLog,
  describeStoredTimeMarks,
} from '@stave/service-kit/testing';
import { describeOn, itOn } from '@stave/driver-sdk/testing';
import { ferretMissing, mongoNotRestartable, MongoServer, startFerret } from './start-ferret.js';

// generous, because the server shares a busy machine with other suites
jest.setTimeout(240_000);

let server: ReturnType<typeof startFerret> | undefined;
const database = `stave_test_${randomUUID().slice(0, 8)}`;

async function running(): Promise<MongoServer> {
  const started = await (server ??= startFerret());
  if ('skipped' in started) throw new Error(started.skipped);
  return started;
}

async function connected(timeoutMs?: number): Promise<DocumentStore> {
  const { url } = await running();
  return connectMongo({ url, database, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
}

/** MongoDB itself is available by its URL only; the tests start FerretDB. */
const isMongo = process.env['MONGODB_URL'] !== undefined;
const scope = { guardsConcurrentWriters: isMongo, pagedDocuments: isMongo ? 2_400 : 480 };

describeOn(ferretMissing(), "document store on MongoDB's protocol", () => {
  afterAll(async () => (await running()).stop());

  describeDocumentStoreContract(
    "MongoDB's protocol",
    async () => {
      const store = await connected();
      return { store, name: base => base, another: () => connected(), end: () => store.close() };
    },
    scope,
  );

  describeDocumentStoreContract(
    'bulks',
    async () => {
      const { url } = await running();
      const store = await connectMongo({ url, database: `${database}_bulks`, ferret: false, maxBulk: 4 });
      return { store, name: base => base, end: () => store.close() };
    },
    scope,
  );

  describeRebuild(
    "MongoDB's protocol",
    async () => {
      const { url } = await running();
      const store = await connectMongo({ url, database: `${database}_rebuild` });
      return { store, end: () => store.close() };
    },
    // FerretDB scans the collection for each guarded write, so its data is small
    { size: 60, buildStep: 25 },
  );

  describeReplacedLog("MongoDB's protocol", async () => {
    const { url } = await running();
    const store = await connectMongo({ url, database: `${database}_replaced` });
    return { store, end: () => store.close() };
  });

  describeStoredTimeMarks("MongoDB's protocol", async () => {
    const { url } = await running();
    const store = await connectMongo({ url, database: `${database}_marks` });
    return { store, end: () => store.close() };
  });

  describe('lists', () => {
    let store: DocumentStore;
    beforeAll(async () => void (store = await connected()));
    afterAll(() => store.close());
    describeLists(() => store, 'lists');
  });

  describe('server that stops and restarts', () => {
    itOn(
      mongoNotRestartable(),
      'causes DocumentStoreUnavailableError while it is down, after which the adapter recovers',
      async () => {
        const mongo = await running();
        const store = await connected(2000);
        const things = await store.collection('away');
        await things.write([{ replace: { _id: 'a', position: 1 } }]);
        await mongo.kill();
        await expect(things.get('a')).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
        await expect(things.write([{ replace: { _id: 'a', position: 2 } }])).rejects.toBeInstanceOf(
          DocumentStoreUnavailableError,
        );
        await expect(store.ping()).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
        await mongo.restart();
        const write = () => things.write([{ replace: { _id: 'a', position: 3 } }]).then(() => true);
        await eventually(write, 'writing works again');
        expect(await things.get('a')).toEqual({ _id: 'a', position: 3 });
        await store.close();
      },
    );
  });
});
