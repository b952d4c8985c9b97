import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';
import { parseAllDocuments } from 'yaml';

/** The folder of the chart. */
export const chart = join(repositoryRoot(), 'deploy/helm/stave');
const cache = join(repositoryRoot(), '.cache');
const kubeconform = join(cache, 'kubeconform');

const installs = 'run scripts/install-test-servers.sh';

/** Returns why the chart cannot be rendered here; undefined when it can. */
export const helmMissing = (): string | undefined =>
  existsSync(join(cache, 'helm-python-sdk/helm_python')) ? undefined : `no library of Helm: ${installs}`;

/** Returns why manifests cannot be held against the schemas of Kubernetes; undefined when they can. */
export const kubeconformMissing = (): string | undefined =>
  existsSync(join(kubeconform, 'stamp')) ? undefined : `no kubeconform: ${installs}`;

/** Returns why files of images cannot be examined; undefined when they can. */
export const hadolintMissing = (): string | undefined =>
  existsSync(join(cache, 'hadolint/bin/hadolint')) ? undefined : `no hadolint: ${installs}`;

/** The values files of the chart: names without `.yaml`, and paths. */
export const valuesFiles: readonly (readonly [string, string])[] = readdirSync(join(chart, 'values')).map(file => [
  file.replace(/\.yaml$/, ''),
  join(chart, 'values', file),
]);

/** What a command wrote, and its exit code. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function run(program: string, args: readonly string[], input?: string): Ran {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', input, maxBuffer: 1 << 26 });
  if (error) throw error;
  return { code: status, out: stdout, err: stderr };
}

/** Runs a command of `scripts/helm.py`. */
export const helm = (...args: readonly string[]): Ran =>
  run('python3', [join(repositoryRoot(), 'scripts/helm.py'), ...args]);

/** Holds manifests against the schemas of Kubernetes; members that it does not know are refused. */
export function conform(manifests: string): Ran {
  const location = join(kubeconform, 'schemas', '{{ .ResourceKind }}{{ .KindSuffix }}.json');
  return run(join(kubeconform, 'kubeconform'), ['-strict', '-summary', '-schema-location', location, '-'], manifests);
}

/** Examines a file of an image. */
export const hadolint = (file: string): Ran => run(join(cache, 'hadolint/bin/hadolint'), [file]);

/** An environment variable of a container: a value, or where it comes from. */
export interface EnvVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: { readonly name: string; readonly key: string };
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string; readonly scheme: string };
}

export interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly EnvVariable[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly securityContext?: object;
  readonly resources?: { readonly requests?: object; readonly limits?: object };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
}

export interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: object;
  readonly terminationGracePeriodSeconds?: number;
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly ({ readonly name: string } & Readonly<Record<string, unknown>>)[];
  readonly topologySpreadConstraints?: readonly object[];
}

export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template?: { readonly metadata: { readonly labels: object }; readonly spec: PodSpec };
  };
}

/** Returns the objects in a rendered chart. */
export const manifestsIn = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).flatMap(document => {
    const manifest = document.toJS() as Manifest | null;
    return manifest === null ? [] : [manifest];
  });

/** Renders the chart. Throws with the message of Helm when it refuses. */
export function render(valuesFile: string, release = 'stave'): string {
  const { code, out, err } = helm('template', chart, valuesFile, release, 'stave');
  if (code !== 0) throw new Error(err);
  return out;
}

/** Returns the objects of the chart that have pods. */
export const workloadsIn = (manifests: readonly Manifest[]): readonly (Manifest & { readonly pod: PodSpec })[] =>
  manifests.flatMap(manifest => {
    const pod = manifest.spec.template?.spec;
    return pod === undefined ? [] : [{ ...manifest, pod }];
  });

/** Returns the process of Stave that a container runs: `conductor` for `apps/conductor/dist/main.js`. */
export function processOf({ args = [] }: Container): string {
  const [, name] = /^apps\/([a-z-]+)\/dist\/main\.js$/.exec(args[0] ?? '') ?? [];
  if (name === undefined) throw new Error(`the container runs ${args.join(' ')}, which is no process of Stave`);
  return name;
}

/** A part of the schema of the chart's values. */
export interface ValuesSchema {
  readonly type?: unknown;
  readonly enum?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly anyOf?: readonly ValuesSchema[];
  readonly $defs?: Readonly<Record<string, ValuesSchema>>;
}

/** Returns the schema of the chart's values. */
export const valuesSchema = (): ValuesSchema => JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'));
