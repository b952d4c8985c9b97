import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';

const root = join(repositoryRoot(), '.cache', 'document-checkers');
const program = (name: string): string => join(root, 'usr', 'bin', name);
const ignition = join(root, 'usr/lib/dracut/modules.d/30ignition/ignition');
const cloudInitSchema = join(
  root,
  'usr/lib/python3/dist-packages/cloudinit/config/schemas/schema-cloud-config-v1.json',
);

function repositoryRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'tsconfig.base.json'))) folder = dirname(folder);
  return folder;
}

/** Returns why documents cannot be checked; undefined when they can. */
export function checkersMissing(): string | undefined {
  const missing = [program('shellcheck'), program('ignition-validate'), cloudInitSchema].find(
    file => !existsSync(file),
  );
  return missing && `${missing} is missing: run scripts/install-test-servers.sh`;
}

/** Returns what ShellCheck has to say about a script; an empty text when it is right. */
export function shellcheck(script: string): string {
  const args = ['--shell=bash', '--severity=style', '--format=gcc', '-'];
  return spawnSync(program('shellcheck'), args, { input: script, encoding: 'utf8' }).stdout;
}

/** Returns what Ignition's own validation has to say about a document; an empty text when it is right. */
export function validateIgnition(document: string): string {
  const { stdout, stderr } = spawnSync(program('ignition-validate'), ['-'], { input: document, encoding: 'utf8' });
  return `${stdout}${stderr}`;
}

/** Has Ignition write the files of a document below a folder, as at the first boot. Needs root. Throws when it fails. */
export function runIgnition(document: string, root: string): void {
  const state = join(root, 'ignition');
  mkdirSync(state);
  writeFileSync(join(state, 'document'), document);
  const places = [
    '-config-cache',
    join(state, 'cache'),
    '-state-file',
    join(state, 'state'),
    '-neednet',
    join(state, 'net'),
  ];
  const env = { ...process.env, IGNITION_CONFIG_FILE: join(state, 'document') };
  for (const stage of ['fetch', 'files']) {
    const args = ['-platform', 'file', '-stage', stage, '-root', root, '-log-to-stdout', ...places];
    const { status, stdout } = spawnSync(ignition, args, { env, encoding: 'utf8' });
    // labels for SELinux are the last step, when all files are written; the folder has no SELinux
    const complete = status === 0 || stdout.includes('failed to handle relabeling');
    if (!complete) throw new Error(`Ignition failed: ${stdout.slice(-1_000)}`);
  }
}

/** Returns the violations of cloud-init's own schema, by pointer. */
export function validateCloudInit(document: string): string[] {
  const { $schema: _, ...schema } = JSON.parse(readFileSync(cloudInitSchema, 'utf8')) as Record<string, unknown>;
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false, logger: false });
  const validate = ajv.compile(schema);
  return validate(parse(document))
    ? []
    : (validate.errors ?? []).map(error => `${error.instancePath} ${error.message}`);
}
