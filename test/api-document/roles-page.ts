import { apiDocument } from '@stave/api-gateway';
import { repositoryRoot } from '@stave/testing';
import { join } from 'node:path';

export const rolesFile = join(repositoryRoot(), 'docs/reference/roles.md');

const head = `# Roles that the API requires

Generated from the OpenAPI document (\`x-stave-role\`) by \`npm run api-document\`. \`reader\`, \`member\` and \`admin\` are roles in the project of the request; each may what those before it may. \`operator\` is an
administrator of the installation, and \`public\` needs no credential. A test sends every request with the credential of every role, and without one.

`;

interface Operation {
  readonly operationId: string;
  readonly 'x-stave-role': string;
}

/** One row for each operation: the request, its operation id, the role. */
function rows(): readonly (readonly string[])[] {
  const { paths } = apiDocument() as { paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, 'x-stave-role': role }]) => [
      `\`${method.toUpperCase()} ${path}\``,
      `\`${operationId}\``,
      role,
    ]),
  );
}

/** Returns the content of docs/reference/roles.md. */
export function rolesText(): string {
  const all = [['request', 'operation', 'role'], ...rows()];
  const widths = [0, 1, 2].map(column => Math.max(...all.map(row => (row[column] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [titles = [], ...operations] = all;
  const rule = widths.map(width => '-'.repeat(width));
  return `${head}${[titles, rule, ...operations].map(line).join('\n')}\n`;
}

/** Returns the role of each operation, by its id, as the page says it. */
export const rolesIn = (page: string): ReadonlyMap<string, string> =>
  new Map(
    [...page.matchAll(/^\| `[A-Z]+ [^`]+` *\| `(\w+)` *\| (\w+) *\|$/gm)].map(([, id = '', role = '']) => [id, role]),
  );
