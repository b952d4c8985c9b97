import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export type Template = Readonly<Record<string, unknown>>;

/** The templates of a driver: those in its directory `templates`, else the common ones. */
export class Templates {
  private readonly read = new Map<string, Template>();

  constructor(private readonly directory: string) {}

  /** Returns the template `<name>.yaml`. */
  get(name: 'cluster' | 'node'): Template {
    const found = this.read.get(name) ?? templateIn([this.directory, commonTemplates], name);
    this.read.set(name, found);
    return found;
  }
}

const commonTemplates = join(__dirname, '..', '..', 'templates');

function templateIn(directories: readonly string[], name: string): Template {
  const paths = directories.map(directory => join(directory, `${name}.yaml`));
  const path = paths.find(existsSync);
  if (path === undefined) throw new Error(`there is no ${paths.join(' and no ')}`);
  return parse(readFileSync(path, 'utf8')) as Template;
}
