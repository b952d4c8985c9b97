// Backs up what cannot be built again, and restores it: the embedded event log and the administrator's key.
//
//   npm run backup -- create <data directory> <new directory>     also while the product runs
//   npm run backup -- verify <backup>
//   npm run backup -- restore <backup> <data directory>           while the product is stopped
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';

const LIST = 'backup.json';
const KEYS = ['admin.key', 'admin.key.former'];
const LOG = /^events(\.\d+)?\.log$/;

const refuse = text => {
  console.error(text);
  process.exit(1);
};
/** The files of a data directory that a backup has. The log is listed once: files that are begun later are not needed. */
function filesOf(data) {
  const folder = join(data, 'event-store');
  if (!existsSync(folder))
    refuse(`${data} has no event log: name the DATA_DIR of the product or of npm run event-store`);
  const logs = readdirSync(folder).filter(name => LOG.test(name));
  if (logs.length === 0) refuse(`${folder} has no file of an event log`);
  return [...logs.sort().map(name => join('event-store', name)), ...KEYS.filter(name => existsSync(join(data, name)))];
}

/** Returns when a file, or what a directory lists, is on the disk. */
function sync(path) {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Syncs the directories of these files, with the directory that they are in. */
function syncDirectories(root, names) {
  for (const folder of new Set(names.map(name => dirname(name)))) sync(join(root, folder));
  sync(root);
}

async function digestOf(path) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  copyFileSync(from, to);
  chmodSync(to, 0o600);
  sync(to);
}

async function create(data, backup) {
  if (existsSync(backup)) refuse(`${backup} exists: name a new directory for each backup`);
  const files = filesOf(data);
  const draft = join(dirname(resolve(backup)), `.${basename(backup)}.incomplete`);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  const listed = [];
  for (const name of files) {
    copy(join(data, name), join(draft, name));
    listed.push({ name, bytes: statSync(join(draft, name)).size, sha256: await digestOf(join(draft, name)) });
  }
  writeFileSync(join(draft, LIST), `${JSON.stringify({ version: 1, files: listed }, null, 2)}\n`, { mode: 0o600 });
  sync(join(draft, LIST));
  syncDirectories(draft, files);
  // a directory under this name is a complete backup
  renameSync(draft, backup);
  sync(dirname(resolve(backup)));
  console.log(`${listed.length} files, ${listed.reduce((sum, { bytes }) => sum + bytes, 0)} bytes in ${backup}`);
}

/** Returns the names of the files of a backup; ends the process when one is missing or changed. */
async function verified(backup) {
  const list = join(backup, LIST);
  if (!existsSync(list)) refuse(`${backup} is no complete backup: it has no ${LIST}`);
  const { version, files } = JSON.parse(readFileSync(list, 'utf8'));
  if (version !== 1) refuse(`${backup} was made by a newer release`);
  const bad = [];
  for (const { name, sha256 } of files) {
    const path = join(backup, name);
    if (!existsSync(path)) bad.push(`${name} is missing`);
    else if ((await digestOf(path)) !== sha256) bad.push(`${name} is damaged`);
  }
  if (bad.length > 0) refuse(bad.map(text => `${backup}: ${text}`).join('\n'));
  return files.map(({ name }) => name);
}

async function restore(backup, data) {
  const names = await verified(backup);
  const present = [join(data, 'event-store'), ...KEYS.map(name => join(data, name))].filter(path => existsSync(path));
  if (present.length > 0) refuse(`${present.join(', ')} would be mixed with the backup: move it away first`);
  const draft = join(data, '.restore.incomplete');
  rmSync(draft, { recursive: true, force: true });
  for (const name of names) copy(join(backup, name), join(draft, name));
  syncDirectories(draft, names);
  // a log under its name is complete: the product would start with a part of one, and forget the rest
  for (const name of readdirSync(draft)) renameSync(join(draft, name), join(data, name));
  rmSync(draft, { recursive: true });
  sync(data);
  console.log(`${names.length} files in ${data}; start the product with DATA_DIR=${data}`);
}

const [what, ...places] = process.argv.slice(2);
if (what === 'create' && places.length === 2) await create(...places);
else if (what === 'restore' && places.length === 2) await restore(...places);
else if (what === 'verify' && places.length === 1)
  console.log(`${(await verified(places[0])).length} files of ${places[0]} are as they were written`);
else
  refuse(
    'npm run backup -- create <data directory> <new directory> | verify <backup> | restore <backup> <data directory>',
  );
