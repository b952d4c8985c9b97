// Renders the chart with each of its values files for users of kustomize: deploy/kustomize/<name>/stave.yaml.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const chart = join(root, 'deploy', 'helm', 'stave');

for (const file of readdirSync(join(chart, 'values'))) {
  const name = file.replace(/\.yaml$/, '');
  const args = [join(root, 'scripts', 'helm.py'), 'template', chart, join(chart, 'values', file), 'stave', 'stave'];
  const { status, stdout, stderr } = spawnSync('python3', args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) {
    console.error(`${stderr}\nscripts/install-test-servers.sh installs what renders the chart`);
    process.exit(1);
  }
  const directory = join(root, 'deploy', 'kustomize', name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'stave.yaml'), stdout.replaceAll('managed-by: Helm', 'managed-by: kustomize'));
}
