import { randomUUID } from 'node:crypto';
import {
  connectMongo,
  DocumentStoreUnavailableError,
  type DocumentCollection,
  type DocumentStore,
} from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { describeOn } from '@stave/driver-sdk/testing';
import { MongoProxy } from './mongo-proxy.js';
import { ferretMissing, startFerret, type MongoServer } from './start-ferret.js';

// generous, because the server shares a busy machine with other suites
jest.setTimeout(240_000);

const NOT_PRIMARY = { ok: 0, code: 10_107, codeName: 'NotWritablePrimary', errmsg: 'not primary' };

describeOn(ferretMissing(), "replies of MongoDB's protocol that a healthy server of the tests does not give", () => {
  let server: MongoServer;
  let proxy: MongoProxy;
  let store: DocumentStore;
  let things: DocumentCollection;

  beforeAll(async () => {
    const started = await startFerret();
    if ('skipped' in started) throw new Error(started.skipped);
    server = started;
  });
  afterAll(() => server.stop());

  beforeEach(async () => {
    proxy = await MongoProxy.open(server.url);
    const database = `stave_test_${randomUUID().slice(0, 8)}`;
    store = await connectMongo({ url: proxy.url, database, ferret: false, timeoutMs: 4000 });
    things = await store.collection('things');
  });
  afterEach(async () => {
    await store.close();
    await proxy.close();
  });

  const bulk = Array.from({ length: 15 }, (_, i) => ({ replace: { _id: `t${i}`, position: 10, by: 'bulk' } }));
  const duplicate = (index: number) => ({ index, code: 11_000, errmsg: 'E11000 duplicate key' });

  it('a bulk of which one document is newer already is written in bulk, not document by document', async () => {
    await things.write([{ replace: { _id: 't7', position: 50, by: 'newer' } }]);
    proxy.commands.length = 0;
    await things.write(bulk);
    // FerretDB leaves out the writes after the first that fails
    expect(['update,find', 'update,find,update']).toContain(proxy.commands.join());
    expect(await things.count({ by: 'bulk' })).toBe(14);
    expect(await things.get('t7')).toEqual({ _id: 't7', position: 50, by: 'newer' });
  });

  it('after one duplicate key of an unordered bulk, only the position of that document is read', async () => {
    await things.write([{ replace: { _id: 't7', position: 50 } }]);
    proxy.commands.length = 0;
    proxy.answer('update', { ok: 1, n: 14, nModified: 14, writeErrors: [duplicate(7)] });
    await things.write(bulk);
    expect(proxy.commands).toEqual(['update', 'find']);
  });

  it('a bulk that loses against an upsert of an older document is repeated for that document', async () => {
    await things.write([{ replace: { _id: 'a', position: 1 } }]);
    proxy.answer('update', { ok: 1, n: 1, nModified: 1, writeErrors: [duplicate(1)] });
    proxy.hold('find');
    const written = things.write([{ replace: { _id: 'b', position: 2 } }, { replace: { _id: 'a', position: 2 } }]);
    await eventually(() => proxy.holds('find'), { what: 'the refused document is read' });
    proxy.relayAll();
    await written;
    expect(await things.get('a')).toEqual({ _id: 'a', position: 2 });
  });

  it.each([
    ['find', () => things.get('a')],
    ['find', () => things.find({ color: 'red' })],
    ['aggregate', () => things.count({})],
    ['update', () => things.write([{ replace: { _id: 'a', position: 1 } }])],
    ['delete', () => things.write([{ remove: 'a' }])],
    ['createIndexes', () => store.collection('things', ['color'])],
    ['listCollections', () => store.names()],
    ['ping', () => store.ping()],
  ])('the reply "not primary" to %s (%#) becomes DocumentStoreUnavailableError', async (command, call) => {
    proxy.answer(command, NOT_PRIMARY);
    await expect(call()).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
    proxy.relayAll();
    await call();
  });

  it('a write that a primary accepted while it stepped down becomes DocumentStoreUnavailableError', async () => {
    const writeConcernError = { code: 11_602, codeName: 'InterruptedDueToReplStateChange', errmsg: 'stepped down' };
    proxy.answer('update', { ok: 1, n: 1, nModified: 1, writeConcernError });
    const write = () => things.write([{ replace: { _id: 'a', position: 1 } }]);
    await expect(write()).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
    proxy.relayAll();
    await write();
  });

  it('an index may take longer to build than other operations may take', async () => {
    proxy.hold('createIndexes');
    proxy.hold('find');
    const building = store.collection('things', ['color']);
    await eventually(() => proxy.holds('createIndexes'), { what: 'the index is being built' });
    // two reads, one after the other, run into the time-out meanwhile
    await expect(things.get('a')).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
    await expect(things.get('a')).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
    proxy.relayAll();
    await building;
    await things.write([{ replace: { _id: 'a', color: 'red' } }]);
    expect(await things.find({ color: 'red' })).toEqual([{ _id: 'a', color: 'red' }]);
  });
});
