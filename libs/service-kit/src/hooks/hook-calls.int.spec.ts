import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createLogger } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { HookCalls, type HookOutcome } from './hook-calls.js';

describe('calls of hooks', () => {
  const open = new Map<string, ServerResponse>();
  let server: Server;
  let host: string;
  let calls: HookCalls;
  let noted: HookOutcome[];

  beforeEach(async () => {
    noted = [];
    server = createServer((request, response) => {
      void json(request).then(body => open.set((body as { readonly name: string }).name, response));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    calls = new HookCalls([host], createLogger('test', 'silent'), 4);
  });
  afterEach(async () => {
    calls.onModuleDestroy();
    open.clear();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  const begin = (project: string, name: string): void =>
    calls.begin(name, {
      url: `http://${host}/`,
      project,
      body: { name },
      note: async outcome => noted.push(outcome),
    });
  const answer = (name: string): void => {
    open.get(name)?.end();
    open.delete(name);
  };

  it('run a few at a time, and a project whose host does not answer leaves room for others', async () => {
    for (let n = 1; n <= 20; n++) begin('slow', `slow-${n}`);
    await eventually(() => open.size === 2, 'half of the places are taken');
    for (let n = 1; n <= 3; n++) begin('other', `other-${n}`);
    await eventually(() => open.size === 4, 'all places are taken');
    expect([...open.keys()].sort()).toEqual(['other-1', 'other-2', 'slow-1', 'slow-2']);
    answer('other-1');
    await eventually(() => open.has('other-3'), 'the next one of the other project');
    expect(noted).toEqual([{ url: `http://${host}/`, delivered: true, attempts: 1 }]);
    expect([...open.keys()].sort()).toEqual(['other-2', 'other-3', 'slow-1', 'slow-2']);
  });

  it('that wait are not made and not noted when the service stops', async () => {
    for (let n = 1; n <= 3; n++) begin('slow', `slow-${n}`);
    await eventually(() => open.size === 2, 'half of the places are taken');
    calls.onModuleDestroy();
    await eventually(() => [...open.values()].every(({ closed }) => closed), 'the calls are ended');
    expect([open.size, noted]).toEqual([2, []]);
  });
});
