import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@stave/platform/testing';
import { describeOn } from '@stave/testing';
import { parseDocument } from 'yaml';
import { ApiServer, apiServerMissing } from './api-server.js';
import { chart, helm, helmMissing, manifestsIn, render, workloadsIn, type Manifest, type Ran } from './chart.js';

jest.setTimeout(300_000);

const missing =
  process.env['STAVE_TEST_HELM'] === 'true' ? (helmMissing() ?? apiServerMissing()) : 'npm run test:group helm runs it';
const values = (name: string): string => join(chart, `values/${name}.yaml`);
const KINDS = 'deployments,statefulsets,services,poddisruptionbudgets,horizontalpodautoscalers,networkpolicies';

describeOn(missing, 'the chart on a real API server', () => {
  let server: ApiServer;
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-helm-'));
    server = await ApiServer.start();
  });
  afterAll(async () => {
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function namespace(name: string): Promise<void> {
    const file = join(directory, `${name}.json`);
    const labels = Object.fromEntries(
      ['enforce', 'warn', 'audit'].map(mode => [`pod-security.kubernetes.io/${mode}`, 'restricted']),
    );
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }));
    expect(server.kubectl('create', '--filename', file)).toMatchObject({ code: 0 });
  }
  const ok = (ran: Ran): void => expect({ code: ran.code, err: ran.err }).toMatchObject({ code: 0 });
  const release = (command: string, file: string, name: string, space: string): Ran =>
    helm(command, chart, file, name, space, server.kubeconfig);
  const after = (command: string, name: string, space: string): Ran => helm(command, name, space, server.kubeconfig);
  const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;
  const present = (space: string): readonly string[] => server.list<Manifest>(space, KINDS).map(nameOf).sort();
  const rendered = (file: string, name = 'stave'): readonly string[] =>
    manifestsIn(render(file, name)).map(nameOf).sort();
  const images = (space: string): readonly unknown[] => [
    ...new Set(
      workloadsIn(server.list<Manifest>(space, 'deployments,statefulsets')).map(
        ({ pod }) => (pod.containers[0] as { readonly image?: string } | undefined)?.image,
      ),
    ),
  ];
  const pods = (space: string, component: string): number =>
    server.list(space, 'pods', '--selector', `app.kubernetes.io/component=${component}`).length;

  it.each(['small', 'three-zones', 'far-site'])(
    'the API server takes the manifests for kustomize of %s with strict fields and without a warning',
    async name => {
      await namespace(`strict-${name}`);
      const file = join(directory, 'manifests.yaml');
      await writeFile(file, render(values(name)));
      const args = ['--namespace', `strict-${name}`, '--validate=strict', '--dry-run=server', '--filename', file];
      ok(server.kubectl('create', ...args));
    },
  );

  it('an installation is created, upgraded, rolled back and removed; its pods pass the restricted level', async () => {
    await namespace('stave');
    const file = values('three-zones');
    ok(release('install', file, 'stave', 'stave'));
    expect(present('stave')).toEqual(rendered(file));
    for (const [component, count] of [
      ['cluster-service', 3],
      ['nodegroup-service', 3],
      ['container-scheduler', 3],
      ['conductor-openstack', 3],
      ['api-gateway', 1], // what the autoscaler makes of it needs metrics
    ] as const) {
      await eventually(async () => pods('stave', component) === count, {
        timeoutMs: 60_000,
        what: `${count} pods of ${component} are admitted`,
      });
    }

    const next = parseDocument(await readFile(file, 'utf8'));
    next.setIn(['image', 'tag'], '0.2.0');
    next.setIn(['nodegroupService', 'replicas'], 4);
    const upgraded = join(directory, 'upgraded.yaml');
    await writeFile(upgraded, String(next));
    ok(release('upgrade', upgraded, 'stave', 'stave'));
    expect(images('stave')).toEqual(['stave:0.2.0']);
    await eventually(async () => pods('stave', 'nodegroup-service') >= 4, { what: 'the fourth replica is admitted' });

    next.setIn(['nodegroupService', 'replica'], 5);
    await writeFile(upgraded, String(next));
    const refused = release('upgrade', upgraded, 'stave', 'stave');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('replica');

    ok(after('rollback', 'stave', 'stave'));
    expect(images('stave')).toEqual(['stave:0.1.0']);
    expect(present('stave')).toEqual(rendered(file));
    const history: readonly object[] = JSON.parse(after('history', 'stave', 'stave').out);
    expect(history).toHaveLength(3);

    ok(after('uninstall', 'stave', 'stave'));
    expect(present('stave')).toEqual([]);
    await eventually(async () => server.list('stave', 'pods,persistentvolumeclaims').length === 0, {
      timeoutMs: 90_000,
      what: 'pods and volumes are gone',
    });
  });

  it('conductors of a site are a release of their own, beside another in the same namespace', async () => {
    await namespace('site');
    ok(release('install', values('far-site'), 'site-a', 'site'));
    ok(release('install', values('far-site'), 'site-b', 'site'));
    expect(present('site')).toEqual(
      [...rendered(values('far-site'), 'site-a'), ...rendered(values('far-site'), 'site-b')].sort(),
    );
    ok(after('uninstall', 'site-a', 'site'));
    expect(present('site')).toEqual(rendered(values('far-site'), 'site-b'));
  });

  it('a pod that could become root is refused in such a namespace, so the level is in force', async () => {
    await namespace('level');
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'root' },
      spec: { containers: [{ name: 'c', image: 'x' }] },
    };
    const file = join(directory, 'pod.json');
    await writeFile(file, JSON.stringify(pod));
    const refused = server.kubectl('create', '--namespace', 'level', '--filename', file);
    expect(refused.err).toContain('violates PodSecurity "restricted:latest"');
  });
});
