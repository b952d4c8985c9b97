import { commandTree, fleetKinds, nouns } from '@stave/cli';
import { repositoryRoot } from '@stave/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nowhere, referenceFile, referenceText } from './reference-file.js';

type Json = Readonly<Record<string, unknown>>;
interface Route {
  readonly post?: Json;
  readonly get?: Json;
  readonly patch?: Json;
}

const document = JSON.parse(readFileSync(join(repositoryRoot(), 'docs/reference/openapi.json'), 'utf8')) as {
  readonly paths: Readonly<Record<string, Route>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
};

const resolved = (schema: Json): Json => {
  const { $ref } = schema;
  return typeof $ref === 'string' ? (document.components.schemas[$ref.split('/').at(-1)!] ?? {}) : schema;
};

/** The members of the body that a route takes. */
function membersOf(operation: Json | undefined): string[] {
  const { content } = operation?.['requestBody'] as { content: Record<string, { schema: Json }> };
  const schema = resolved(Object.values(content)[0]!.schema);
  const forms = (schema['oneOf'] ?? [schema]) as readonly Json[];
  return [...new Set(forms.flatMap(form => Object.keys((resolved(form)['properties'] ?? {}) as Json)))];
}

it('docs/reference/command-line.md has every command (`npm run command-reference` updates it)', () => {
  expect(readFileSync(referenceFile, 'utf8')).toBe(referenceText());
});

describe('the tree of commands', () => {
  const { root: whole } = commandTree(nowhere, '0');
  const names = whole.commands.filter(each => !each.name().startsWith('__')).map(each => each.name());

  const helpsBelow = (of: typeof whole): string[] => of.commands.map(each => each.helpInformation());
  /** The only command below the root of the tree that a command line gets. */
  const only = (...words: readonly string[]): typeof whole => {
    const [first, ...others] = commandTree(nowhere, '0', words).root.commands;
    if (!first || others.length > 0) throw new Error(`${words.join(' ')}: ${others.length} more`);
    return first;
  };

  it('only the command that a command line names is built, and it is the same as in the whole tree', () => {
    expect(names).toEqual(expect.arrayContaining(['clusters', 'wait', 'profiles']));
    for (const command of whole.commands.filter(each => names.includes(each.name())))
      for (const word of [command.name(), ...command.aliases()]) {
        const branch = only(word, '--help');
        expect(branch.name()).toBe(command.name());
        expect(branch.helpInformation()).toBe(command.helpInformation());
        expect(helpsBelow(branch)).toEqual(helpsBelow(command));
        if (nouns.every(({ name }) => name !== command.name())) continue;
        for (const leaf of command.commands)
          for (const name of [leaf.name(), ...leaf.aliases()])
            expect(helpsBelow(only(word, name))).toEqual([leaf.helpInformation()]);
      }
  });

  it.each([[], ['--help'], ['help'], ['cluster-'], ['__proto__'], ['__complete', '--', 'c']].map(words => [words]))(
    'the command line %j gets all commands',
    words => {
      expect(commandTree(nowhere, '0', words).root.commands).toHaveLength(whole.commands.length);
    },
  );

  it('the command that completes words is not in help', () => {
    expect(whole.helpInformation()).not.toContain('__complete');
  });
});

it('every list of the API has a noun, but for those that other commands show', () => {
  const lists = Object.keys(document.paths).filter(
    path => /^\/v1\/[a-z-]+$/.test(path) && document.paths[path]?.get !== undefined,
  );
  const shownOtherwise = ['/events', '/whoami', '/read-models', '/audit', '/summary', '/auth'];
  const known = [...nouns.map(({ path }) => path), ...shownOtherwise];
  expect(lists.map(path => path.slice('/v1'.length)).filter(path => !known.includes(path))).toEqual([]);
});

it('every action of the API is a command of its noun, but for backtests', () => {
  const { root } = commandTree(nowhere, '0');
  const missing = Object.keys(document.paths).flatMap(path => {
    const [, list, action] = /^\/v1(\/[a-z-]+)\/\{id\}\/actions\/([a-z-]+)$/.exec(path) ?? [];
    const noun = nouns.find(each => each.path === list);
    if (action === undefined || noun === undefined || action === 'backtest') return [];
    const group = root.commands.find(each => each.name() === noun.name);
    return group?.commands.some(each => each.name() === action) ? [] : [`stave ${noun.name} ${action}`];
  });
  expect(missing).toEqual([]);
});

it.each(['list', 'get'] as const)(
  '%s of a noun takes --at where its path of the API has a past, and nowhere else',
  verb => {
    const hasPast = (path: string): boolean => {
      const parameters = (document.paths[path]?.get?.['parameters'] ?? []) as readonly Json[];
      return parameters.map(resolved).some(({ name, in: place }) => name === 'at' && place === 'query');
    };
    const { root } = commandTree(nowhere, '0');
    const takes = (noun: string): boolean | undefined =>
      root.commands
        .find(each => each.name() === noun)
        ?.commands.find(each => each.name() === verb)
        ?.options.some(({ long }) => long === '--at');
    const compared = nouns
      .filter(({ name }) => takes(name) !== undefined)
      .map(({ name, path }) => ({
        name,
        takes: takes(name),
        hasPast: hasPast(`/v1${path}${verb === 'get' ? '/{id}' : ''}`),
      }));
    expect(compared.filter(one => one.takes !== one.hasPast)).toEqual([]);
    expect(compared.filter(one => one.takes).length).toBeGreaterThan(5);
  },
);

/** Members that a change names only to be refused. */
const refusedChanges: Readonly<Record<string, readonly string[]>> = {
  nodeGroups: ['machineSelector'],
  networks: ['driver', 'options', 'subnet', 'gateway'],
  volumes: ['driver', 'options', 'accessMode'],
};

it.each([
  ['policies', '/v1/policies', []],
  ['clusters', '/v1/clusters', ['from', 'omitNodeGroups', 'nodeGroups']],
  ['nodeGroups', '/v1/clusters/{clusterId}/node-groups', ['from']],
  ['networks', '/v1/clusters/{clusterId}/networks', []],
  ['volumes', '/v1/clusters/{clusterId}/volumes', []],
  ['containerProfiles', '/v1/container-profiles', []],
  ['containerSets', '/v1/container-sets', []],
] as const)('a fleet file takes every member of %s that the API takes', (member, path, others) => {
  const kind = fleetKinds[member];
  const creation = membersOf(document.paths[path]?.post);
  expect([...kind.create, ...others].sort()).toEqual([...creation].sort());
  const immutable = ['id', 'name', 'projectId', 'clusterId', 'createdAt', 'type', 'version', 'nodeGroups'];
  const changeable = membersOf(document.paths[`${path}/{id}`]?.patch).filter(each => !immutable.includes(each));
  const refused = refusedChanges[member] ?? [];
  expect([...kind.update].sort()).toEqual(changeable.filter(each => !refused.includes(each)).sort());
});
