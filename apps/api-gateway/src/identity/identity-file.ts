import { readFileSync } from 'node:fs';
import { exact, listOf, oneOf, primitives as p, type JsonSchema } from '@stave/contracts/schemas';
import { errorCode } from '@stave/platform';
import { bodyProblems } from '@stave/service-kit';
import { ValidateBy } from 'class-validator';
import { member } from '../http/members.js';
import { projectRoles, type IdentitySettings } from './identity-settings.js';

const nonEmpty: JsonSchema = { type: 'string', minLength: 1, maxLength: 2048 };

const rule = exact(
  {
    claim: nonEmpty,
    value: { type: ['string', 'number', 'boolean'] },
    role: oneOf(...projectRoles, 'operator'),
  },
  { project: p.name },
);

const keystone = exact({
  url: nonEmpty,
  projects: { type: 'object', propertyNames: nonEmpty, additionalProperties: p.name, maxProperties: 10_000 },
});

const schema = exact(
  {
    issuers: listOf(
      exact(
        {
          issuer: nonEmpty,
          audiences: listOf(nonEmpty, { minItems: 1, maxItems: 100 }),
          rules: listOf(rule, { maxItems: 10_000 }),
        },
        {
          web: exact({ clientId: nonEmpty, clientSecretFile: nonEmpty }),
          cli: exact({ clientId: nonEmpty }),
        },
      ),
      { maxItems: 100 },
    ),
  },
  { keystone },
);

const MAX_PROBLEMS = 50;

/** What an identity file says: its settings, or every mistake in it, without its values. */
type Read = { readonly settings: IdentitySettings } | { readonly problems: readonly string[] };

function read(path: string): Read {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const code = errorCode(error);
    return { problems: [code === undefined ? 'the file is not JSON' : `the file cannot be read (${code})`] };
  }
  const malformed = bodyProblems(schema, content).map(({ pointer, detail }) => `${pointer || '/'} ${detail}`);
  const issuers = listIn(content, 'issuers');
  const urls = issuers.map(issuer => member(issuer, 'issuer'));
  const url = member(member(content, 'keystone'), 'url');
  const isWrong = typeof url === 'string' && !isIssuerUrl(url);
  if (isWrong) malformed.push('/keystone/url must be an https or http URL without query and fragment');
  const problems = [...malformed, ...issuers.flatMap((issuer, i) => issuerProblems(issuer, i, urls))];
  return problems.length > 0 ? { problems } : { settings: content as IdentitySettings };
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = member(value, name);
  return Array.isArray(list) ? list : [];
}

/** Returns what the schema does not say. The issuer may be malformed, which the schema says. */
function issuerProblems(issuer: unknown, index: number, urls: readonly unknown[]): string[] {
  const at = `/issuers/${index}`;
  const url = urls[index];
  const problems: string[] = [];
  if (typeof url === 'string' && !isIssuerUrl(url))
    problems.push(`${at}/issuer must be an https or http URL without query and fragment`);
  if (url !== undefined && urls.indexOf(url) < index) problems.push(`${at}/issuer is in the file twice`);
  const secretProblem = problemOfSecret(member(member(issuer, 'web'), 'clientSecretFile'));
  if (secretProblem) problems.push(`${at}/web/clientSecretFile ${secretProblem}`);
  listIn(issuer, 'rules').forEach((given, i) => {
    const [role, project] = [member(given, 'role'), member(given, 'project')];
    if (role === 'operator' && project !== undefined)
      problems.push(`${at}/rules/${i}/project must be absent: operators belong to no project`);
    if (role !== undefined && role !== 'operator' && project === undefined)
      problems.push(`${at}/rules/${i}/project is required`);
  });
  return problems;
}

function problemOfSecret(path: unknown): string | undefined {
  if (typeof path !== 'string' || path === '') return undefined;
  try {
    return readFileSync(path, 'utf8').trim() === '' ? 'names an empty file' : undefined;
  } catch (error) {
    return `names a file that cannot be read (${errorCode(error) ?? 'unknown error'})`;
  }
}

function isIssuerUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  return isHttp && !/[?#]/.test(text) && url.username === '' && url.password === '';
}

function problemText(path: unknown): string {
  const found = read(String(path));
  if ('settings' in found) return '';
  const shown = found.problems.slice(0, MAX_PROBLEMS);
  const left = found.problems.length - shown.length;
  return `names a file with mistakes: ${shown.join(', ')}${left > 0 ? `, and ${left} more` : ''}`;
}

/** Accepts the path of an identity file without mistakes, or an empty text. */
export const IsIdentityFile = (): PropertyDecorator =>
  ValidateBy({
    name: 'isIdentityFile',
    validator: {
      validate: path => path === '' || problemText(path) === '',
      defaultMessage: given => problemText(given?.value),
    },
  });

/** Returns the settings of an identity file that {@link IsIdentityFile} has accepted; of no file, no issuers. */
export function identityOf(path: string): IdentitySettings {
  if (path === '') return { issuers: [] };
  const found = read(path);
  if ('settings' in found) return found.settings;
  throw new Error(`IDENTITY_FILE ${problemText(path)}`);
}
