import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clouds } from './clouds.js';

const variables = { OS_AUTH_URL: 'http://cloud/v3', OS_USERNAME: 'u', OS_PASSWORD: 'p', OS_PROJECT_NAME: 'common' };
const auth = (project: string): string =>
  `{auth_url: http://cloud, username: u, password: p, project_name: ${project}}`;
const file = join(mkdtempSync(join(tmpdir(), 'stave-clouds-')), 'clouds.yaml');
writeFileSync(file, `clouds:\n  a: {auth: ${auth('in-a')}}\n  b: {auth: ${auth('in-b')}}\n`);
const files = { OS_CLIENT_CONFIG_FILE: file };

describe('the clouds of an installation', () => {
  it('are one for all projects by OS_CLOUD or OS_*', () => {
    for (const [env, name] of [
      [variables, 'common'],
      [{ ...files, OS_CLOUD: 'a' }, 'in-a'],
    ] as const) {
      const clouds = Clouds.in(env);
      expect(clouds.all()).toHaveLength(1);
      expect(clouds.of({ projectId: 'any' }).settings.project.name).toBe(name);
    }
  });

  it('are own ones for the projects of HEAT_CLOUDS, by id or name', () => {
    const clouds = Clouds.in({ ...files, OS_CLOUD: 'a', HEAT_CLOUDS: 'shop=b, p-2=b ,p-3=a' });
    const nameOf = (projectId: string, projectName?: string) =>
      clouds.of({ projectId, ...(projectName !== undefined && { projectName }) }).settings.project.name;
    expect([nameOf('p-1', 'shop'), nameOf('p-2'), nameOf('p-3'), nameOf('p-4')]).toEqual([
      'in-b',
      'in-b',
      'in-a',
      'in-a',
    ]);
    expect(clouds.all()).toHaveLength(2);
  });

  it('are not those of another project whose name is the id of the one that HEAT_CLOUDS means', () => {
    const id = '3f0c1b52-7f0e-4f4e-9a51-0d8f5ad2a001';
    const clouds = Clouds.in({ ...files, OS_CLOUD: 'a', HEAT_CLOUDS: `${id}=b` });
    const nameOf = (projectId: string, projectName: string) =>
      clouds.of({ projectId, projectName }).settings.project.name;
    expect([nameOf(id, 'shop'), nameOf('p-9', id), nameOf('p-9', id.toUpperCase())]).toEqual(['in-b', 'in-a', 'in-a']);
  });

  it('refuses a project without one permanently', () => {
    const clouds = Clouds.in({ ...files, HEAT_CLOUDS: 'shop=b' });
    expect(clouds.all()).toHaveLength(1);
    expect(() => clouds.of({ projectId: 'other' })).toThrow('project other has no cloud');
  });

  it('names settings that cannot be used', () => {
    expect(() => Clouds.in({})).toThrow('auth_url');
    expect(() => Clouds.in({ ...files, HEAT_CLOUDS: 'shop' })).toThrow('HEAT_CLOUDS');
    expect(() => Clouds.in({ ...files, HEAT_CLOUDS: 'shop=c' })).toThrow('the cloud c is not in clouds.yaml');
    for (const HEAT_STALL_SECONDS of ['0', '-1', 'soon', '1.5'])
      expect(() => Clouds.in({ ...variables, HEAT_STALL_SECONDS })).toThrow('HEAT_STALL_SECONDS');
  });
});
