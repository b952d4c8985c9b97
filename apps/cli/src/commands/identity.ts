import type { Command } from 'commander';
import type { Document } from '../api/api.js';
import { Api } from '../api/api.js';
import { UsageError } from '../exit-codes.js';
import { asJson, writeDocument } from '../output/output.js';
import { tableLines } from '../output/table.js';
import { inline } from '../output/values.js';
import type { Session } from '../session.js';
import { Profiles } from '../settings/profiles.js';
import type { CommandTree } from './command.js';

interface LoginFlags {
  readonly url?: string;
  readonly tokenStdin?: boolean;
  readonly name?: string;
}

async function whoami(session: Session): Promise<void> {
  const identity = await session.api.read('/v1/whoami');
  if (writeDocument(session.terminal, session.format, identity)) return;
  const { projects, ...members } = identity as Document & { readonly projects: readonly Document[] };
  const rows = Object.entries(members).map(([name, value]) => [name, inline(value)]);
  const roles = projects.map(({ name, role }) => ['project', `${inline(name)} (${inline(role)})`]);
  for (const line of tableLines([...rows, ...roles])) session.terminal.out(`${line}\n`);
}

/** Stores a key that works. It is read from the input or from STAVE_TOKEN, never from an argument, which other users could see. */
async function login(session: Session, flags: LoginFlags): Promise<void> {
  const { terminal } = session;
  const { env } = terminal;
  const url = flags.url ?? env['STAVE_URL'];
  if (url === undefined || !URL.canParse(url))
    throw new UsageError('stave login needs --url, such as https://stave.example.org');
  const token = (flags.tokenStdin ? await terminal.readInput() : (env['STAVE_TOKEN'] ?? '')).trim();
  if (token === '')
    throw new UsageError('stave login takes an API key: stave login --url … --token-stdin < key, or in STAVE_TOKEN');
  const project = session.flags.project;
  const identity = await new Api({ url, token, project }, terminal.signal).read('/v1/whoami');
  const profiles = new Profiles(env);
  const name = flags.name ?? 'default';
  profiles.save(name, { url, token, ...(project === undefined ? {} : { project }) });
  session.note(`Signed in as ${inline(identity['name'] ?? identity['subject'])}; profile ${name} in ${profiles.path}`);
}

export function addIdentityCommands(tree: CommandTree): void {
  const { root } = tree;
  tree.leaf(root, 'whoami', 'Show who is signed in', whoami);
  tree
    .leaf<LoginFlags>(root, 'login', 'Store an API key in a profile', (session, _, flags) => login(session, flags))
    .option('--url <url>', 'Address of the API')
    .option('--token-stdin', 'Read the API key from the input (else STAVE_TOKEN)')
    .option('--name <profile>', 'Name of the profile (default)');
  tree
    .leaf<LoginFlags>(root, 'logout', 'Remove a profile with its key', async (session, _, { name }) => {
      const profiles = new Profiles(session.terminal.env);
      profiles.remove(name ?? profiles.current);
    })
    .option('--name <profile>', 'Name of the profile (the current one)');
  addProfiles(tree, tree.group(root, 'profiles', 'Installations and keys that this user has stored'));
}

function addProfiles(tree: CommandTree, parent: Command): void {
  tree.leaf(parent, 'list', 'List profiles', async ({ terminal, format }) => {
    const profiles = new Profiles(terminal.env);
    // keys are not shown
    const items = profiles.names().map(name => {
      const { url, project } = profiles.get(name);
      return { name, url, project, current: name === profiles.current };
    });
    if (format === 'json') return terminal.out(asJson({ items }));
    if (writeDocument(terminal, format, { items })) return;
    const rows = items.map(({ name, url, project, current }) => [
      current ? '*' : '',
      name,
      inline(url),
      inline(project),
    ]);
    for (const line of tableLines([['', 'NAME', 'URL', 'PROJECT'], ...rows], terminal.columns))
      terminal.out(`${line}\n`);
  });
  tree.leaf(parent, 'use <name>', 'Make a profile the current one', async ({ terminal }, [name = '']) =>
    new Profiles(terminal.env).use(name),
  );
}
