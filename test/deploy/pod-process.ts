import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { join } from 'node:path';
import { freePort, repositoryRoot } from '@stave/testing';
import { ManagedProcess } from '../distributed/managed-process.js';
import type { Container, Manifest, PodSpec, Probe } from './chart.js';

/** Secrets and ConfigMaps by name: their members. */
export type Secrets = Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>>;

/** The folders of a pod; paths below them are moved into a folder of the test. */
const FOLDERS = /^\/(etc\/stave|var\/lib\/stave|run\/stave|tmp)(?=\/|$)/;

/** Runs what a pod would run, as a process of this machine: with the environment, files and probes of its manifest and nothing else. */
export class PodProcess {
  private constructor(
    readonly process: ManagedProcess,
    readonly port: number,
    private readonly container: Container,
  ) {}

  /** `directory`: of this pod alone; `secrets`: what the cluster has. Runs the init containers; the process is not started. */
  static async of(
    workload: Manifest & { readonly pod: PodSpec },
    directory: string,
    secrets: Secrets,
  ): Promise<PodProcess> {
    const { pod, metadata } = workload;
    const [container] = pod.containers;
    if (container === undefined) throw new Error(`${metadata.name} has no container`);
    const moved = (path: string): string => path.replace(FOLDERS, `${directory}/$1`);
    mkdirSync(join(directory, 'root'), { recursive: true });
    for (const each of [...(pod.initContainers ?? []), container]) mountAll(pod, each, moved, secrets);
    for (const init of pod.initContainers ?? []) runInit(init, directory);
    const port = await freePort();
    const env: Record<string, string> = {};
    for (const { name, value, valueFrom } of container.env ?? []) {
      const { secretKeyRef, fieldRef } = valueFrom ?? {};
      if (secretKeyRef) env[name] = String(secrets[secretKeyRef.name]?.[secretKeyRef.key]);
      else if (fieldRef?.fieldPath === 'metadata.name') env[name] = `${metadata.name}-0`;
      else env[name] = moved(value ?? '');
    }
    // all pods share this machine
    for (const name of ['PORT', 'HEALTH_PORT']) if (name in env) env[name] = String(port);
    const process = new ManagedProcess(metadata.name, {
      entry: join(repositoryRoot(), container.args?.[0] ?? ''),
      env,
      cwd: join(directory, 'root'),
      logFile: join(directory, 'log'),
      ready: () => asked(container.startupProbe, port),
      startTimeoutMs: 120_000,
    });
    return new PodProcess(process, port, container);
  }

  /** Whether the kubelet would call the process alive and ready. */
  async isAliveAndReady(): Promise<boolean> {
    const { livenessProbe, readinessProbe } = this.container;
    return (await asked(livenessProbe, this.port)) && (await asked(readinessProbe, this.port));
  }
}

function mountAll(pod: PodSpec, container: Container, moved: (path: string) => string, secrets: Secrets): void {
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    mkdirSync(moved(mountPath), { recursive: true });
    const volume = pod.volumes?.find(each => each.name === name) ?? {};
    const { secret, configMap } = volume as {
      readonly secret?: { readonly secretName: string };
      readonly configMap?: { readonly name: string };
    };
    const source = secret?.secretName ?? configMap?.name;
    if (source === undefined) continue;
    const members = secrets[source];
    if (members === undefined) throw new Error(`there is no Secret ${source}`);
    for (const [file, text] of Object.entries(members)) writeFileSync(join(moved(mountPath), file), text);
  }
}

/** Runs the program that the command has as a text, with its paths moved. */
function runInit({ name, command = [] }: Container, directory: string): void {
  const [program = '', ...args] = command.map(text => text.replaceAll(/\/(etc|run)\/stave/g, `${directory}/$1/stave`));
  const { status, stderr } = spawnSync(program === 'node' ? process.execPath : program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the init container ${name} failed: ${stderr}`);
}

/** Asks as the kubelet does, which does not examine certificates. */
function asked(probe: Probe | undefined, port: number): Promise<boolean> {
  if (probe === undefined) throw new Error('the probe is missing');
  const { path, scheme } = probe.httpGet;
  const options = { host: '127.0.0.1', port, path, timeout: 2_000, rejectUnauthorized: false, agent: false };
  return new Promise(resolve => {
    const send = scheme === 'HTTPS' ? requestSecure : requestPlain;
    const sent = send(options, answer => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    sent.on('error', () => resolve(false));
    sent.on('timeout', () => sent.destroy());
    sent.end();
  });
}
