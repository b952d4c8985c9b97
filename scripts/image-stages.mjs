// Runs the steps of deploy/image/Dockerfile in directories instead of an engine, so that they are tested where no image can be pulled: copies
// the build context without what is ignored, runs every RUN in its stage, and leaves the file system of the last stage.
//
//   node scripts/image-stages.mjs <directory>      the result is in <directory>/final
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [, , into] = process.argv;
if (!into) throw new Error('name a directory');
const lines = readFileSync(join(root, 'deploy/image/Dockerfile'), 'utf8')
  .split('\n')
  .filter(line => line !== '' && !line.startsWith('#'));

/** The paths of a stage, as folders of this machine. */
const inside = (stage, path) => join(into, stage, path);
let stage = '';
let folder = '/';

/** Moves the absolute paths of a command into the stage. */
const moved = command =>
  command.replaceAll(/(^|\s)(\/(image|data|stave)\b\S*)/g, (_, blank, path) => blank + inside(stage, path));

function copyContext(target) {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  for (const file of files.split('\0').filter(name => name !== ''))
    cpSync(join(root, file), join(target, file), { errorOnExist: false });
}

const steps = {
  ARG: () => undefined,
  FROM: text => {
    stage = / AS (\S+)$/.exec(text)?.[1] ?? 'final';
    folder = '/';
  },
  WORKDIR: path => {
    folder = path;
    mkdirSync(inside(stage, path), { recursive: true });
  },
  COPY: text => {
    const [, from, source, target] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(text) ?? [];
    if (from !== undefined)
      cpSync(inside(from, source), inside(stage, target), { recursive: true, verbatimSymlinks: true });
    else if (source === '.' && target === '.') copyContext(inside(stage, folder));
    else throw new Error(`COPY ${text} is not understood`);
  },
  RUN: text => {
    console.error(`[${stage}] ${text}`);
    execFileSync('bash', ['-euo', 'pipefail', '-c', moved(text)], {
      cwd: inside(stage, folder),
      stdio: ['ignore', 2, 2],
    });
  },
  // what a container is started with; the test starts processes with it
  ...Object.fromEntries(['ENV', 'USER', 'VOLUME', 'ENTRYPOINT', 'CMD'].map(name => [name, () => undefined])),
};

for (const line of lines) {
  const [, name, text] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
  const run = steps[name];
  if (run === undefined) throw new Error(`${line} is not understood`);
  run(text);
}
