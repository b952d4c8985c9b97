import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { aClusterSpec, aDriverContext, referenceTo } from '@stave/driver-sdk/testing';
import { mesosUbuntu } from './template-definition.js';

/** An address of this machine that nothing else uses, because the port of masters is the same everywhere. */
const firstAddress = '127.88.15.1';
const network = { cidr: '127.88.15.0/24', firstAddress };
const cluster = { id: 'c1', name: 'shop' };
const master = `http://${firstAddress}:5050`;

/** Answers of a master, with the members that the documentation of Mesos' endpoints shows. */
const answers: Readonly<Record<string, object>> = {
  '/master/frameworks': {
    frameworks: [
      {
        ...{ id: 'f1', name: 'marathon', active: true, connected: true, hostname: 'masters-0', tasks: [{ id: 't1' }] },
        ...{ used_resources: { cpus: 0.5, mem: 64, disk: 0, gpus: 0 }, webui_url: 'http://10.0.0.1:8080' },
      },
    ],
    completed_frameworks: [],
    unregistered_frameworks: [],
  },
  '/master/slaves': {
    slaves: [
      {
        ...{ id: 'a1', hostname: 'workers-0', active: true, version: '1.11.0', port: 5051 },
        ...{ resources: { cpus: 4, mem: 7_000, disk: 10_000 }, used_resources: { cpus: 0.5, mem: 64 } },
        attributes: { 'stave.node': 'n1', rack: 3 },
      },
    ],
    recovered_slaves: [],
  },
};

describe('operations of Mesos on Heat', () => {
  let secrets: Readonly<Record<string, string>>;
  let server: Server | undefined;
  let asked: string[];
  let status: number;

  beforeAll(async () => {
    secrets = await mesosUbuntu.newSecrets(cluster, network);
  });
  beforeEach(() => {
    asked = [];
    status = 200;
  });
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = undefined;
  });

  async function serve(): Promise<void> {
    server = createServer(({ url = '', headers }, answer) => {
      asked.push(`${url} ${Buffer.from((headers.authorization ?? '').replace('Basic ', ''), 'base64')}`);
      answer.writeHead(status, { 'content-type': 'application/json', location: '//192.0.2.1:5050/master/frameworks' });
      answer.end(JSON.stringify(answers[url] ?? {}));
    }).listen(5_050, firstAddress);
    await once(server, 'listening');
  }
  const ask = (name: string) => {
    const operation = mesosUbuntu.operations?.(async () => ({ cluster, network, secrets }))[name];
    if (!operation) throw new Error(`no operation ${name}`);
    return operation(aDriverContext(), { cluster: referenceTo(aClusterSpec()), parameters: {}, body: undefined });
  };

  it('show frameworks and agents as the master knows them', async () => {
    await serve();
    expect(await ask('frameworks')).toEqual({
      items: [
        {
          ...{ id: 'f1', name: 'marathon', active: true, connected: true, host: 'masters-0', tasks: 1 },
          used: { cpus: 0.5, memoryMb: 64 },
        },
      ],
    });
    expect(await ask('agents')).toEqual({
      items: [
        {
          ...{ id: 'a1', name: 'workers-0', nodeId: 'n1', active: true, version: '1.11.0' },
          ...{ capacity: { cpus: 4, memoryMb: 7_000 }, used: { cpus: 0.5, memoryMb: 64 } },
          attributes: { 'stave.node': 'n1', rack: '3' },
        },
      ],
    });
    const credential = `stave:${secrets['secret']}`;
    expect(asked).toEqual([`/master/frameworks ${credential}`, `/master/slaves ${credential}`]);
  });

  it.each([
    [307, 'transient', 'does not lead yet'],
    [503, 'transient', 'does not lead yet'],
    [401, 'permanent', 'answered 401'],
    [500, 'transient', 'answered 500'],
  ])('an answer %i is %s, and no secret is sent elsewhere', async (code, failure, reason) => {
    await serve();
    status = code;
    const message = `the master at ${master} ${reason}`;
    await expect(ask('frameworks')).rejects.toMatchObject({ failure, message });
    expect(asked).toHaveLength(1);
  });

  it('name the master that does not answer, which may lack a route', async () => {
    const message = `the master at ${master} does not answer (ECONNREFUSED)`;
    await expect(ask('agents')).rejects.toMatchObject({ failure: 'transient', message });
  });
});
