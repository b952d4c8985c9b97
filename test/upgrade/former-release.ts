import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { repositoryRoot } from '@stave/testing';

/** How many commits before this one the former release is, where the repository has no tag. */
const COMMITS_BEFORE = 60;
const PARTS = [
  ...['cluster-service', 'nodegroup-service', 'container-scheduler', 'api-gateway', 'conductor'].map(
    app => `apps/${app}`,
  ),
  'libs/drivers/fake',
];

const root = repositoryRoot();
const git = (...args: readonly string[]): string | undefined => {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};

/** Returns the commit from which an upgrade is tested: that of UPGRADE_FROM, else the last tag, else some commits ago. */
export function formerCommit(): string | undefined {
  const tag = git('describe', '--tags', '--abbrev=0', 'HEAD~1');
  const name = process.env['UPGRADE_FROM'] || tag || `HEAD~${COMMITS_BEFORE}`;
  return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
}

/** Returns why no former release can be built here; undefined when it can. */
export const formerReleaseMissing = (): string | undefined =>
  formerCommit() === undefined ? 'the history of this clone is too short: git fetch --unshallow' : undefined;

/** Returns the folder of the former release, built; the cache keeps the last one, which links to packages of this repository. */
export function formerRelease(): { readonly commit: string; readonly directory: string } {
  const commit = formerCommit();
  if (commit === undefined) throw new Error(formerReleaseMissing());
  const releases = join(root, '.cache', 'releases');
  const directory = join(releases, commit);
  const built = join(directory, 'built');
  if (existsSync(built) && readFileSync(built, 'utf8') === root) return { commit, directory };
  const draft = `${directory}.draft`;
  rmSync(releases, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1 << 30 });
  execFileSync('tar', ['--extract', '--directory', draft], { input: archive });
  // links are relative, so that they stay right
  renameSync(draft, directory);
  installPackages(directory);
  const build = spawnSync(process.execPath, ['node_modules/ts7/bin/tsc', '-b', ...PARTS], {
    cwd: directory,
    encoding: 'utf8',
  });
  if (build.status !== 0) throw new Error(`${commit} does not build: ${build.stdout}${build.stderr}`);
  writeFileSync(built, root);
  return { commit, directory };
}

/** Links the packages of this release where the former one wants the same versions, else installs its own. */
function installPackages(directory: string): void {
  const modules = join(directory, 'node_modules');
  if (!wantsSame(directory)) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: directory, stdio: 'ignore' });
    return;
  }
  const ours = resolve(root, 'node_modules');
  mkdirSync(join(modules, '@stave'), { recursive: true });
  for (const name of readdirSync(ours).filter(each => each !== '@stave' && !each.startsWith('.')))
    symlinkSync(join(ours, name), join(modules, name));
  for (const folder of workspacesOf(directory)) {
    const { name } = packageIn(join(directory, folder));
    symlinkSync(relative(join(modules, '@stave'), join(directory, folder)), join(modules, name));
  }
}

interface Package {
  readonly name: string;
  readonly version?: string;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const packageIn = (folder: string): Package => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function wantsSame(directory: string): boolean {
  const { dependencies = {}, devDependencies = {} } = packageIn(directory);
  return Object.entries({ ...dependencies, ...devDependencies }).every(([name, wanted]) => {
    const folder = join(root, 'node_modules', name);
    return existsSync(folder) && wanted.endsWith(packageIn(folder).version ?? 'unknown');
  });
}

function workspacesOf(directory: string): readonly string[] {
  const { workspaces = [] } = packageIn(directory);
  const folders = workspaces.flatMap(pattern => {
    if (!pattern.endsWith('/*')) return [pattern];
    const parent = pattern.slice(0, -2);
    return readdirSync(join(directory, parent)).map(name => `${parent}/${name}`);
  });
  return folders.filter(folder => existsSync(join(directory, folder, 'package.json')));
}
