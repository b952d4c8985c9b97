/** A JSON schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

const dnsLabel = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const placeholder = '__[A-Z][A-Z0-9_]*__';
/** Text that is one line and needs no quotes in any file: no white space, quotes, backslashes, or characters of control. */
const bareUrl = (schemes: string): string => `^(${schemes})://[A-Za-z0-9._~:@%/?&=+,!$()*;\\[\\]-]+$`;

/** Patterns of fields that several descriptions have. */
export const patterns = {
  name: `^${dnsLabel}(\\.${dnsLabel})*$`,
  httpUrl: bareUrl('https?'),
  version: '^[0-9][A-Za-z0-9.:+~]*$',
  path: '^(/[A-Za-z0-9._@+-]+)+$',
  pem: '^-----BEGIN [A-Z ]+-----\\n[A-Za-z0-9+/=\\n]+-----END [A-Z ]+-----\\n?$',
  labelKey: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$',
  labelValue: '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$',
  /** One line without characters of control. */
  line: '^[^\\u0000-\\u001f\\u007f]*$',
  hostPort: '^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?:[0-9]{1,5}$',
} as const;

/** A closed schema of an object. */
export const object = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});

export const text = (pattern: string, maxLength = 253): Schema => ({ type: 'string', pattern, maxLength });
export const listOf = (items: Schema, minItems = 0): Schema => ({ type: 'array', items, minItems, uniqueItems: true });
export const integer = (minimum: number, maximum: number): Schema => ({ type: 'integer', minimum, maximum });
export const oneOf = (...values: readonly string[]): Schema => ({ type: 'string', enum: values });
export const pem: Schema = text(patterns.pem, 65_536);
export const authority: Schema = object({ certificate: pem, key: pem }, ['certificate', 'key']);
export const url: Schema = text(patterns.httpUrl, 2_048);

const repository = object(
  {
    name: text('^[a-z0-9][a-z0-9._-]*$', 64),
    url,
    suite: text('^[A-Za-z0-9._/-]+$', 64),
    components: listOf(text('^[A-Za-z0-9._-]+$', 64)),
    signingKey: text(
      '^-----BEGIN PGP PUBLIC KEY BLOCK-----\\n[ -~\\n]+-----END PGP PUBLIC KEY BLOCK-----\\n?$',
      65_536,
    ),
  },
  ['name', 'url', 'signingKey'],
);

/** A file with its SHA-256. */
export const downloadedFile = object(
  { url, sha256: text('^[0-9a-f]{64}$'), path: text(patterns.path), unpack: { type: 'boolean' } },
  ['url', 'sha256', 'path'],
);

const software = choice({
  installed: object({ kind: { type: 'string' } }, ['kind']),
  packages: object({ kind: { type: 'string' }, repositories: listOf(repository) }, ['kind']),
  files: object({ kind: { type: 'string' }, files: listOf(downloadedFile, 1) }, ['kind', 'files']),
});

const signal = choice({
  file: object({ kind: { type: 'string' } }, ['kind']),
  heat: object(
    {
      kind: { type: 'string' },
      endpoint: text(`${patterns.httpUrl}|^${placeholder}$`, 2_048),
      token: text(`^[A-Za-z0-9._=-]+$|^${placeholder}$`, 2_048),
    },
    ['kind', 'endpoint', 'token'],
  ),
});

/** The schema of a choice by `kind`, with a closed schema for each kind. */
export function choice(kinds: Readonly<Record<string, Schema>>): Schema {
  const isKind = (kind: string): Schema => ({
    type: 'object',
    required: ['kind'],
    properties: { kind: { const: kind } },
  });
  return {
    type: 'object',
    required: ['kind'],
    properties: { kind: oneOf(...Object.keys(kinds)) },
    allOf: Object.entries(kinds).map(([kind, then]) => ({ if: isKind(kind), then })),
  };
}

/** The schema of an object that has one form with the member and another one without it. */
export const formBy = (member: string, withIt: Schema, without: Schema): Schema => ({
  if: { type: 'object', required: [member] },
  then: withIt,
  else: without,
});

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields that the descriptions of all engines have. */
export const machineProperties: Schema = {
  os: oneOf('debian', 'ubuntu', 'fedora', 'fedora-coreos'),
  hostname: text(patterns.name, 63),
  address: text('^[0-9.]+$', 15),
  authorizedKeys: listOf(text('^(ssh|ecdsa|sk)-[a-z0-9@.-]+ [A-Za-z0-9+/=]+( [ -~]*)?$', 16_384)),
  proxy: object({
    http: text(patterns.httpUrl.replace('?&=', '').replace(',!$()*;', ''), 2_048),
    https: text(patterns.httpUrl.replace('?&=', '').replace(',!$()*;', ''), 2_048),
    noProxy: listOf(text('^[A-Za-z0-9.:/*-]+$')),
  }),
  trustedAuthorities: listOf(pem),
  software,
  readiness: signal,
  readyTimeoutSeconds: integer(10, 7_200),
};

export const requiredOfMachine = ['engine', 'role', 'os', 'hostname', 'software', 'readiness'] as const;
