// Copies what the processes of Stave need at run time into a directory: built code, manifests of drivers, and packages without those for
// development.
//
//   node scripts/image-tree.mjs <directory>
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = realpathSync(join(dirname(fileURLToPath(import.meta.url)), '..'));
const target = process.argv[2];
if (!target) throw new Error('name a directory');
mkdirSync(target, { recursive: true });

/** Folders of workspaces that no process needs. A driver reads what it builds images from. */
const left = /(^|\/)(node_modules|testing)$|^(apps|libs)\/([^/]+\/)+(src|public)$/;
const leftFiles =
  /(\.spec\.|\.suite\.|\.contract\.|\.fixture\.).*|\.d\.ts$|\.tsbuildinfo$|(^|\/)tsconfig[^/]*\.json$|jest\.config\.js$|\.md$/;

const wanted = source => {
  const path = relative(root, source);
  return !left.test(path) && !leftFiles.test(path);
};
for (const name of ['package.json', 'package-lock.json', '.npmrc', 'LICENSE'])
  cpSync(join(root, name), join(target, name));
for (const folder of ['apps', 'libs'])
  cpSync(join(root, folder), join(target, folder), { recursive: true, filter: wanted });

const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
if (workspaces.includes('test')) cpSync(join(root, 'test', 'package.json'), join(target, 'test', 'package.json'));
execFileSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: target, stdio: 'inherit' });
// the console is served as files, and the tests are not there
for (const name of ['test', 'node_modules/@stave/test']) rmSync(join(target, name), { recursive: true, force: true });
