import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const layers = {
  domain: ['sdk'], // types only, see below
  contracts: ['domain', 'sdk'],
  platform: ['domain', 'contracts'],
  'event-store-server': ['platform'],
  'service-kit': ['domain', 'contracts', 'platform', 'sdk'],
  testing: ['domain', 'contracts', 'platform', 'service-kit', 'event-store-server', 'sdk'],
  sdk: [],
  bootstrap: ['sdk'],
  docker: ['sdk'],
  openstack: ['sdk'],
  kubernetes: ['sdk', 'bootstrap'],
  heat: ['sdk', 'bootstrap', 'docker', 'kubernetes', 'openstack'],
  driver: ['sdk', 'bootstrap', 'docker', 'kubernetes', 'openstack', 'heat'],
  client: [],
  cli: ['client'],
  console: ['client'],
  app: ['domain', 'contracts', 'platform', 'service-kit', 'sdk'],
  composition: ['domain', 'contracts', 'platform', 'service-kit', 'event-store-server', 'sdk', 'app'],
  test: [
    'domain',
    'contracts',
    'platform',
    'service-kit',
    'event-store-server',
    'testing',
    'sdk',
    'bootstrap',
    'docker',
    'kubernetes',
    'openstack',
    'heat',
    'client',
    'cli',
    'driver',
    'app',
    'composition',
  ],
};

const impure = [
  { name: 'process', message: 'configuration is read in *.config.ts and main.ts only' },
  { name: 'console', message: 'use the logger' },
];

/** What is too large for a reader. */
const sizes = [
  {
    selector: ':function[params.length>5]:not(MethodDefinition[kind="constructor"] > FunctionExpression)',
    message: 'a function has at most five parameters: pass an object',
  },
  {
    selector: 'MethodDefinition[kind="constructor"] > FunctionExpression[params.length>6]',
    message: 'a constructor has at most six collaborators: split the class',
  },
];

/** Engines and infrastructure, which only drivers know. */
const engine = 'swarm|kubernetes|kube|k8s|mesos|marathon|docker|openstack|magnum|\\bheat|podman|\\bcontainerd\\b|nomad';
const engines = [
  `Identifier[name=/${engine}/i]`,
  `Literal[value=/${engine}/i]`,
  `TemplateElement[value.raw=/${engine}/i]`,
].map(selector => ({
  selector,
  message: 'the core knows no engine: what is of one belongs to its driver or manifest',
}));

export default tseslint.config(
  { ignores: ['**/dist/**', '**/*.js', '**/*.cjs'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    plugins: { '@nx': nx },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      'max-depth': ['error', 4],
      'no-restricted-syntax': ['error', ...sizes],
      'max-lines': ['error', 250],
      '@nx/enforce-module-boundaries': [
        'error',
        {
          allow: [],
          depConstraints: Object.entries(layers).map(([tag, deps]) => ({
            sourceTag: `type:${tag}`,
            onlyDependOnLibsWithTags: [...deps, ...(tag === 'test' ? ['test'] : [])].map(d => `type:${d}`),
          })),
        },
      ],
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    // the callback of a describe holds all tests of a suite
    ignores: ['**/*.spec.ts', '**/*.suite.ts', '**/*.contract.ts'],
    rules: { 'max-lines-per-function': ['error', 60] },
  },
  {
    // the core; all-in-one chooses the drivers of an installation on one machine
    files: [
      'apps/{api-gateway,cluster-service,nodegroup-service,container-scheduler,conductor}/src/**/*.ts',
      'libs/{domain,contracts,platform,service-kit,event-store-server,client}/src/**/*.ts',
      'libs/drivers/sdk/src/**/*.ts',
    ],
    ignores: ['**/*.{spec,suite,contract,fixture}.ts', '**/testing/**', '**/scaffold/**'],
    rules: { 'no-restricted-syntax': ['error', ...sizes, ...engines] },
  },
  {
    files: ['apps/*/src/**/*.{ts,tsx}', 'libs/*/src/**/*.ts', 'libs/drivers/*/src/**/*.ts'],
    ignores: ['**/*.{spec,contract,fixture}.ts', '**/testing/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['@stave/*/testing', '@stave/testing', '**/testing/*', '**/*.contract.js', '**/*.fixture.js'],
              message: 'production code takes nothing from tests',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['libs/client/src/**/*.ts'],
    ignores: ['**/*.{spec,fixture}.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['process', 'Buffer', 'global', 'require', 'setImmediate', 'window', 'document', 'localStorage'].map(
          name => ({
            name,
            message: 'the client runs in Node.js and in browsers',
          }),
        ),
      ],
      'no-restricted-imports': ['error', { patterns: ['node:*', '@stave/*'] }],
    },
  },
  {
    files: ['libs/domain/src/**/*.ts', 'libs/contracts/src/**/*.ts', 'libs/service-kit/src/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { paths: [{ name: '@stave/driver-sdk', allowTypeImports: true, message: 'only its types are shared' }] },
      ],
    },
  },
  {
    files: ['libs/domain/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...impure,
        { name: 'setTimeout', message: 'the domain is pure' },
        { name: 'Date', message: 'times are handed in' },
      ],
      'no-restricted-properties': ['error', { object: 'Math', property: 'random', message: 'the domain is pure' }],
      'no-restricted-imports': [
        'error',
        { patterns: ['@nestjs/*', 'mongodb', 'nats', '@eventstore/*', 'rxjs', 'node:fs*', 'node:net', 'node:http*'] },
      ],
    },
  },
);
