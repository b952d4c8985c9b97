import { aContainerSpec } from '@stave/driver-sdk/testing';
import { containerPod, containerRecord, podOf } from './container-objects.js';
import { containerUnit, hasStarted, type ContainerPod } from './container-pod.js';

const at = { installation: 'i', member: 'w-1-abcdef' };
const spec = aContainerSpec({
  id: 'c1',
  name: 'Web_1',
  clusterId: 'k1',
  nodeId: 'n1',
  generation: 3,
  env: { TOKEN: 'secret-value', OTHER: 'x' },
  resources: { cpus: 0.25, memoryMb: 64 },
  labels: { team: 'a', note: 'not a value of Kubernetes', 'stave.node': 'another' },
});
const record = {
  metadata: {
    name: 'x',
    uid: 'u1',
    labels: { 'stave.container': 'c1', 'stave.cluster': 'k1', 'stave.generation': '3' },
  },
};
const pod = (status: ContainerPod['status'], readinessProbe?: object): ContainerPod => ({
  metadata: { name: 'x', uid: 'p1', annotations: { 'stave.dev/start-period': '10' } },
  spec: { containers: [readinessProbe ? { readinessProbe } : {}] },
  status,
});
const startedAt = '2026-01-01T00:00:00Z';
const after = (seconds: number): number => Date.parse(startedAt) + seconds * 1_000;
const running = (ready: boolean, restartCount = 0): ContainerPod['status'] => ({
  phase: 'Running',
  containerStatuses: [{ ready, restartCount, state: { running: { startedAt } } }],
});

describe('the pod of a container', () => {
  it('is bound to its node, with its limits and those labels that Kubernetes takes', () => {
    expect(containerPod(spec, at)).toMatchObject({
      metadata: { labels: { team: 'a', 'stave.node': 'n1', 'stave.container': 'c1', 'stave.generation': '3' } },
      spec: {
        nodeName: 'w-1-abcdef',
        restartPolicy: 'Never',
        containers: [
          { resources: { limits: { cpu: '250m', memory: '64Mi' }, requests: { cpu: '0', memory: '64Mi' } } },
        ],
      },
    });
    expect(JSON.stringify(containerPod(spec, at))).not.toContain('not a value of Kubernetes');
  });

  it('refers to the values of its environment, and its record has both', () => {
    const text = JSON.stringify(containerPod(spec, at));
    expect(text).not.toContain('secret-value');
    const { stringData } = containerRecord(spec, at) as { readonly stringData: Readonly<Record<string, string>> };
    expect(Object.values(stringData)).toEqual([text, 'secret-value', 'x']);
    const encoded = Object.entries(stringData).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
    expect(podOf({ data: Object.fromEntries(encoded) })).toEqual(JSON.parse(text));
  });
});

describe('the unit of a container', () => {
  const unit = (status: ContainerPod['status'] | undefined, nowMs = 0, probe?: object) =>
    containerUnit(record, status && pod(status, probe), nowMs);

  it('has the state of its pod', () => {
    const terminated = { exitCode: 7 };
    const ended = { phase: 'Failed', containerStatuses: [{ ready: false, restartCount: 0, state: { terminated } }] };
    const waiting = { reason: 'CrashLoopBackOff' };
    const waits = { phase: 'Running', containerStatuses: [{ ready: false, restartCount: 4, state: { waiting } }] };
    expect(unit(undefined)).toEqual({
      infrastructureId: 'u1',
      kind: 'container',
      resourceId: 'c1',
      clusterId: 'k1',
      generation: 3,
      state: 'stopped',
    });
    expect(unit({ phase: 'Pending' })).toMatchObject({ state: 'creating' });
    expect(unit(running(true))).toMatchObject({ state: 'running', restarts: 0 });
    expect(unit(waits)).toMatchObject({ state: 'running', restarts: 4 });
    expect(unit(ended)).toMatchObject({ state: 'stopped', exitCode: 7 });
    expect(unit({ phase: 'Failed', reason: 'Evicted' })).toMatchObject({ state: 'failed' });
  });

  it('is unhealthy when its check failed for longer than it may after a start', () => {
    const probe = { periodSeconds: 5, failureThreshold: 2 };
    expect(unit(running(true), after(100))).not.toHaveProperty('health');
    expect(unit(running(true), after(1), probe)).toMatchObject({ health: 'healthy' });
    expect(unit(running(false), after(19), probe)).toMatchObject({ health: 'starting' });
    expect(unit(running(false), after(20), probe)).toMatchObject({ health: 'unhealthy' });
  });
});

describe('the start of a container', () => {
  const waitingFor = (reason: string, message?: string) => {
    const waiting = { reason, ...(message !== undefined && { message }) };
    return pod({ phase: 'Pending', containerStatuses: [{ ready: false, restartCount: 0, state: { waiting } }] });
  };

  it('is over when it runs or has ended, and fails with its reason', () => {
    expect(hasStarted(pod({ phase: 'Pending' }))).toBe(false);
    expect(hasStarted(waitingFor('ContainerCreating'))).toBe(false);
    const notSeenYet = 'failed to sync secret cache: timed out waiting for the condition';
    expect(hasStarted(waitingFor('CreateContainerConfigError', notSeenYet))).toBe(false);
    expect(() => hasStarted(waitingFor('CreateContainerConfigError', 'secret "x" not found'))).toThrow('not found');
    expect(hasStarted(pod(running(false)))).toBe(true);
    const pulls = (message: string) => () => hasStarted(waitingFor('ErrImagePull', message));
    expect(pulls('x: not found')).toThrow(expect.objectContaining({ code: 'image-missing' }));
    expect(pulls('x: denied')).toThrow(expect.objectContaining({ code: 'image-denied' }));
    expect(pulls('dial tcp: i/o timeout')()).toBe(false);
    expect(() => hasStarted(waitingFor('CreateContainerError'))).toThrow(
      expect.objectContaining({ failure: 'permanent' }),
    );
    expect(() => hasStarted(pod({ phase: 'Failed', reason: 'OutOfmemory' }))).toThrow(
      expect.objectContaining({ failure: 'capacity' }),
    );
  });
});
