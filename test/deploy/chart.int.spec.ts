import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, repositoryRoot } from '@stave/testing';
import { parseDocument } from 'yaml';
import { settingsOf } from '../distributed/declared-settings.js';
import {
  chart,
  conform,
  helm,
  helmMissing,
  kubeconformMissing,
  manifestsIn,
  processOf,
  render,
  valuesFiles,
  workloadsIn,
  type Manifest,
} from './chart.js';

jest.setTimeout(120_000);

type Change = readonly [path: string, value: unknown];

describeOn(helmMissing() ?? kubeconformMissing(), 'deploy/helm/stave', () => {
  let directory = '';
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'stave-chart-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  /** Writes values: those of the small installation with changes by path; an undefined value removes the member. */
  function changed(changes: readonly Change[]): string {
    const values = parseDocument(readFileSync(join(chart, 'values/small.yaml'), 'utf8'));
    for (const [path, value] of changes) {
      if (value === undefined) values.deleteIn(path.split('.'));
      else values.setIn(path.split('.'), values.createNode(value));
    }
    const file = join(directory, 'values.yaml');
    writeFileSync(file, String(values));
    return file;
  }
  const refusal = (...change: Change): string => {
    const { code, err } = helm('template', chart, changed([change]), 'stave', 'stave');
    expect(code).toBe(1);
    return err;
  };

  describe.each(valuesFiles)('with the values %s', (name, file) => {
    let manifests: readonly Manifest[] = [];
    let workloads: ReturnType<typeof workloadsIn> = [];
    beforeAll(() => {
      manifests = manifestsIn(render(file));
      workloads = workloadsIn(manifests);
    });

    it('Helm has no objection, and Kubernetes knows every member', () => {
      expect(helm('lint', chart, file)).toMatchObject({ code: 0, out: '[]\n' });
      const checked = conform(render(file));
      expect(checked.out).toContain(`Valid: ${manifests.length}, Invalid: 0, Errors: 0, Skipped: 0`);
      expect(checked.code).toBe(0);
    });

    it('every process gets only settings that it reads', () => {
      expect(workloads.length).toBeGreaterThan(0);
      for (const { pod } of workloads) {
        for (const container of pod.containers) {
          const known = new Set(settingsOf(processOf(container)));
          const named = (container.env ?? []).map(variable => variable.name);
          expect(named).toHaveLength(new Set(named).size);
          const ofDrivers = /^(OS_|HEAT_|DOCKER_HOST|SWARM_DOCKER_|K8S_DOCKER_)/;
          expect(named.filter(key => !known.has(key) && !ofDrivers.test(key))).toEqual([]);
        }
      }
    });

    it('pods are restricted, know no token, have limits and spread', () => {
      for (const { pod } of workloads) {
        expect(pod).toMatchObject({
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        });
        expect(pod.topologySpreadConstraints).toHaveLength(2);
        for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
          expect(container).toMatchObject({
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            resources: {
              requests: { cpu: expect.anything(), memory: expect.anything() },
              limits: { memory: expect.anything() },
            },
          });
          const volumes = new Set((pod.volumes ?? []).map(volume => volume.name).concat('data'));
          expect((container.volumeMounts ?? []).filter(mount => !volumes.has(mount.name))).toEqual([]);
        }
      }
    });

    it('liveness and readiness ask the process alone; the start may take a quarter of an hour', () => {
      for (const { pod } of workloads) {
        for (const container of pod.containers) {
          const own = processOf(container) === 'api-gateway' ? '/healthz' : '/livez';
          const ports = new Set((container.ports ?? []).map(port => port.name));
          for (const probe of [container.livenessProbe, container.readinessProbe]) {
            expect(probe?.httpGet.path).toBe(own);
            expect(ports.has(probe?.httpGet.port ?? '')).toBe(true);
          }
          expect(container.startupProbe).toMatchObject({ periodSeconds: 3, failureThreshold: 300 });
        }
      }
    });

    it('each workload may lose one pod at a time, and ailing pods do not block a drain', () => {
      const budgets = manifests.filter(manifest => manifest.kind === 'PodDisruptionBudget');
      expect(budgets.map(budget => budget.spec.selector)).toEqual(workloads.map(workload => workload.spec.selector));
      for (const { spec } of budgets) {
        expect(spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
        expect(spec).not.toHaveProperty('minAvailable');
      }
    });

    it('gateways alone are scaled by load, and only with values that ask for it', () => {
      const scalers = manifests.filter(manifest => manifest.kind === 'HorizontalPodAutoscaler');
      const gateways = manifests.filter(
        ({ kind, metadata }) => kind === 'Deployment' && /gateway$/.test(metadata.name),
      );
      const targets = gateways.map(({ metadata }) => ({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: metadata.name,
      }));
      const isAsked = /autoscaling: \{ enabled: true/.test(readFileSync(file, 'utf8'));
      expect(scalers.map(({ spec }) => spec['scaleTargetRef'])).toEqual(isAsked ? targets : []);
    });

    it('the network is closed but for what is named', () => {
      const policies = manifests.filter(manifest => manifest.kind === 'NetworkPolicy');
      expect(policies.find(policy => policy.metadata.name === 'stave-default-deny')?.spec).toEqual({
        podSelector: { matchLabels: { 'app.kubernetes.io/name': 'stave', 'app.kubernetes.io/instance': 'stave' } },
        policyTypes: ['Ingress', 'Egress'],
      });
      for (const { spec } of policies) {
        for (const rule of (spec['egress'] ?? []) as readonly { readonly to?: readonly unknown[] }[])
          expect(rule.to?.length).toBeGreaterThan(0);
      }
    });

    it('the manifests for kustomize are current; npm run kustomize writes them', () => {
      const written = readFileSync(join(repositoryRoot(), `deploy/kustomize/${name}/stave.yaml`), 'utf8');
      expect(written).toBe(render(file).replaceAll('managed-by: Helm', 'managed-by: kustomize'));
    });
  });

  it.each([
    ['at the top', 'replicaCount', 2],
    ['in a process', 'clusterService.replica', 2],
    ['three levels down', 'apiGateway.resources.limits.cpus', 1],
    ['in a list', 'conductors.0.driver', 'fake'],
    ['among settings', 'clusterService.settings.LOG_LEVLE', 'info'],
    ['in a peer', 'networkPolicy.nats.to.0.ipBlok', { cidr: '192.0.2.0/24' }],
  ])('a misspelt name %s is refused by its name', (_, path, value) => {
    expect(refusal(path, value)).toContain(path.split('.').at(-1));
  });

  const conductor = { name: 'default', drivers: ['fake'] };
  it.each([
    ['nats.url', 'nats.url', undefined],
    ['clusterService.adminKeySecret', 'clusterService.adminKeySecret', undefined],
    ['networkPolicy.nats.to', 'networkPolicy.nats.to', []],
    ['natsSecret of', 'nats.auth', 'nkey'],
    ['the same name', 'conductors', [conductor, conductor]],
    // no peer would be every peer
    ['minItems', 'conductors.0.egress', [{ to: [], ports: [{ port: 443 }] }]],
  ])('what is missing or twice is named: %s', (text, path, value) => {
    expect(refusal(path, value)).toContain(text);
  });

  it('a password in the URL of NATS is refused, since values are no secret', () => {
    expect(refusal('nats.url', 'nats://stave:cloudberry@nats:4222')).toContain('/nats/url');
  });

  it.each(['ws://nats:80', 'wss://nats,nats://nats:4222'])('%s as the URL of NATS is refused', url => {
    expect(refusal('nats.url', url)).toContain('/nats/url');
  });

  it('an entry of conductors wins over the defaults, also with nothing', () => {
    const file = changed([
      ['conductorDefaults', { group: 'site', replicas: 3, drainSeconds: 90, settings: { MASS_LOSS_MIN: 9 } }],
      [
        'conductors',
        [
          { name: 'all', drivers: ['fake'] },
          { name: 'none', drivers: ['fake', 'k8s_docker'], group: '', replicas: 0, drainSeconds: 0, settings: {} },
        ],
      ],
    ]);
    const sets = workloadsIn(manifestsIn(render(file))).filter(workload => workload.kind === 'StatefulSet');
    const env = (index: number): Record<string, unknown> =>
      Object.fromEntries((sets[index]?.pod.containers[0]?.env ?? []).map(({ name, value }) => [name, value]));
    expect(sets.map(set => set.spec['replicas'])).toEqual([3, 0]);
    expect(env(0)).toMatchObject({ CONDUCTOR_GROUP: 'site', STOP_GRACE_MS: '90000', MASS_LOSS_MIN: '9' });
    expect(env(1)).toMatchObject({ CONDUCTOR_GROUP: '', STOP_GRACE_MS: '0', DRIVERS_ENABLED: 'fake,k8s_docker' });
    expect(env(1)).not.toHaveProperty('MASS_LOSS_MIN');
    // time to leave the ring after the tasks
    expect(sets.map(set => set.pod.terminationGracePeriodSeconds)).toEqual([120, 30]);
  });

  it('large numbers are written in full', () => {
    const file = changed([['clusterService.settings', { PUBLISHED_EVENTS_MAX_BYTES: 1073741824 }]]);
    expect(render(file)).toContain('{ name: PUBLISHED_EVENTS_MAX_BYTES, value: "1073741824" }');
  });
});
