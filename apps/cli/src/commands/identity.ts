import type { Document } from '../api/api.js';
import { asJson, writeDocument } from '../output/output.js';
import { tableLines } from '../output/table.js';
import { inline } from '../output/values.js';
import type { Session } from '../session.js';
import { Profiles } from '../settings/profiles.js';
import { login, logout, type LoginFlags } from '../sign-in/login.js';
import type { CommandTree } from './command.js';

async function whoami(session: Session): Promise<void> {
  const identity = await session.api.read('/v1/whoami');
  if (writeDocument(session.terminal, session.format, identity)) return;
  const { projects, ...members } = identity as Document & { readonly projects: readonly Document[] };
  const rows = Object.entries(members).map(([name, value]) => [name, inline(value)]);
  const roles = projects.map(({ name, role }) => ['project', `${inline(name)} (${inline(role)})`]);
  for (const line of tableLines([...rows, ...roles])) session.terminal.out(`${line}\n`);
}

export function addWhoami(tree: CommandTree): void {
  tree.leaf(tree.root, 'whoami', 'Show who is signed in', whoami);
}

export function addLogin(tree: CommandTree): void {
  const summary = 'Sign in at an issuer, or store an API key, in a profile';
  tree
    .leaf<LoginFlags>(tree.root, 'login', summary, (session, _, flags) => login(session, flags))
    .option('--url <url>', 'Address of the API')
    .option('--issuer <url>', 'Where to sign in, when the API has several issuers')
    .option('--api-key-stdin', 'Read an API key from the input (else STAVE_TOKEN) instead of signing in')
    .option('--token-stdin', 'The same as --api-key-stdin')
    .option('--name <profile>', 'Name of the profile (default)');
}

export function addLogout(tree: CommandTree): void {
  tree
    .leaf<LoginFlags>(tree.root, 'logout', 'Remove a profile with its key, or sign out', (session, _, { name }) =>
      logout(session, name),
    )
    .option('--name <profile>', 'Name of the profile (the current one)');
}

export function addProfiles(tree: CommandTree): void {
  const parent = tree.group(tree.root, 'profiles', 'Installations and keys that this user has stored');
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
