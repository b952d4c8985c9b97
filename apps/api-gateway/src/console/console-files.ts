import { readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative, sep } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const encodings = { br: '.br', gzip: '.gz' } as const;
export type FileEncoding = keyof typeof encodings;

export interface ConsoleFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly encoded: Partial<Record<FileEncoding, Buffer>>;
  /** Whether its name changes with its content. */
  readonly isHashed: boolean;
}

/** The built console by path, all of it in memory: about a megabyte. Empty where it is not built. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** No code of the console is used here: its package only says where its files are. */
const consolePackage = '@stave/console/package.json';

/** Returns where the package of the console is built to. */
export const consoleDirectory = (): string => join(dirname(require.resolve(consolePackage)), 'dist', 'web');

function pathsIn(directory: string): readonly string[] {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    return entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Reads the built console once; what is built later is served after a restart. */
export function readConsole(directory: string): ConsoleFiles {
  const paths = new Set(pathsIn(directory));
  const files = new Map<string, ConsoleFile>();
  for (const path of paths) {
    const type = types[extname(path)];
    if (type === undefined) continue;
    const name = relative(directory, path).split(sep).join('/');
    const encoded = Object.entries(encodings)
      .filter(([, ending]) => paths.has(path + ending))
      .map(([encoding, ending]) => [encoding, readFileSync(path + ending)] as const);
    const isHashed = name.startsWith('assets/');
    files.set(name, { type, plain: readFileSync(path), encoded: Object.fromEntries(encoded), isHashed });
  }
  return files;
}
