import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';
import { parse } from 'yaml';
import { settingsOf } from './declared-settings.js';

interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: readonly string[];
  readonly volumes?: readonly string[];
}
interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const root = repositoryRoot();
const text = readFileSync(join(root, 'deploy/compose/compose.yaml'), 'utf8');
const compose = parse(text, { merge: true }) as Compose;
const ours = Object.entries(compose.services).filter(([, { image }]) => image === 'stave:local');

describe('deploy/compose', () => {
  it('the compose file declares every service of the product and the three servers', () => {
    expect(Object.keys(compose.services).sort()).toEqual([
      'api-gateway',
      'cluster-service',
      'conductor',
      'container-scheduler',
      'eventstore',
      'fake-cloud',
      'mongodb',
      'nats',
      'nodegroup-service',
    ]);
  });

  it.each(ours)('the compose file starts %s with a program that the build produces', (_, { command = [] }) => {
    const program = command.at(-1) ?? '';
    expect(existsSync(join(root, program.replace('/dist/', '/src/').replace(/\.js$/, '.ts')))).toBe(true);
  });

  it.each(ours)('the compose file gives %s only settings that it knows', (name, { environment = {} }) => {
    const known = new Set(settingsOf(name));
    expect(known.size).toBeGreaterThan(2);
    expect(Object.keys(environment).filter(key => !known.has(key))).toEqual([]);
  });

  it('the compose file mounts only declared volumes and depends only on declared services', () => {
    const volumes = Object.values(compose.services).flatMap(s => (s.volumes ?? []).map(v => v.split(':')[0] ?? ''));
    expect(volumes.filter(volume => !(volume in compose.volumes))).toEqual([]);
    const needs = Object.values(compose.services).flatMap(s => s.depends_on ?? []);
    expect(needs.filter(need => !(need in compose.services))).toEqual([]);
  });
});
