import { containerRequest } from './container-request.js';
import { containerSpec } from './testing/real-engine.fixture.js';

describe('containerRequest', () => {
  it('contains limits, ports, volumes, network and health check', () => {
    const request = containerRequest('inst', {
      ...containerSpec('c1', 'n1'),
      args: ['x'],
      env: { A: '1' },
      resources: { cpus: 0.25, memoryMb: 64 },
      network: { name: 'app', ipv4: '10.1.0.5' },
      volumes: [{ name: 'data', mountPath: '/data', readOnly: true }],
      ports: [
        { containerPort: 80, hostPort: 8080 },
        { containerPort: 80, hostPort: 8081 },
        { containerPort: 53, protocol: 'udp' },
      ],
      restartPolicy: 'on-failure',
      healthCheck: { command: ['true'], intervalSeconds: 2, retries: 3 },
      labels: { tier: 'web', 'stave.container': 'forged' },
    });
    expect(request).toMatchObject({
      Entrypoint: ['sleep', '1000'],
      Cmd: ['x'],
      Env: ['A=1'],
      Labels: { tier: 'web', 'stave.container': 'c1', 'stave.node': 'n1', 'stave.generation': '1' },
      ExposedPorts: { '80/tcp': {}, '53/udp': {} },
      Healthcheck: { Test: ['CMD', 'true'], Interval: 2e9, Retries: 3 },
      HostConfig: {
        NanoCpus: 25e7,
        Memory: 64 * 2 ** 20,
        MemorySwap: 64 * 2 ** 20,
        RestartPolicy: { Name: 'on-failure' },
        PortBindings: { '80/tcp': [{ HostPort: '8080' }, { HostPort: '8081' }] },
        Mounts: [{ Type: 'volume', Source: 'data', Target: '/data', ReadOnly: true }],
      },
      NetworkingConfig: {
        EndpointsConfig: { app: { Aliases: ['c1'], IPAMConfig: { IPv4Address: '10.1.0.5' } } },
      },
    });
  });

  it('contains no limit that the specification lacks', () => {
    const request = containerRequest('inst', { ...containerSpec('c1', 'n1'), resources: {} });
    const sent = JSON.parse(JSON.stringify(request)) as Record<string, unknown>;
    expect(sent['HostConfig']).not.toHaveProperty('Memory');
    expect(sent['HostConfig']).not.toHaveProperty('NanoCpus');
  });
});
