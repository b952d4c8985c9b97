import { ConnectionError, ProblemError } from '@stave/client';
import type { Document } from '../api/api.js';
import { connectionRemedy } from './connection-remedy.js';
import { exitCodes } from '../exit-codes.js';
import { writeDocument } from '../output/output.js';
import { inline, reasonText } from '../output/values.js';
import type { Session } from '../session.js';

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly remedy?: string;
}

/** One look. A look that fails ends the examination when the later ones depend on it. */
interface Check {
  readonly name: string;
  readonly needed?: boolean;
  look(session: Session): Promise<Omit<Finding, 'check'>>;
}

const good = (detail: string): Omit<Finding, 'check'> => ({ ok: true, detail });
const bad = (detail: string, remedy: string): Omit<Finding, 'check'> => ({ ok: false, detail, remedy });

const reachable: Check = {
  name: 'the API answers',
  needed: true,
  async look({ api }) {
    try {
      await api.read('/healthz');
      return good(api.connection.url);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      return bad(`${api.connection.url}: ${error.reason}`, connectionRemedy(error.reason));
    }
  },
};

const signedIn: Check = {
  name: 'you are signed in',
  needed: true,
  async look({ api }) {
    try {
      const { name, subject, method, expiresAt } = await api.read('/v1/whoami');
      return good(`${inline(name ?? subject)} by ${inline(method)}${expiresAt ? `, until ${inline(expiresAt)}` : ''}`);
    } catch (error) {
      if (!(error instanceof ProblemError) || ![401, 403].includes(error.status)) throw error;
      return bad(
        error.problem.detail,
        'Set STAVE_TOKEN, or sign in: stave login --url … (with a key: --api-key-stdin).',
      );
    }
  },
};

const ready: Check = {
  name: 'commands are accepted',
  async look({ api }) {
    try {
      const { checks } = await api.read('/readyz');
      return good(inline(checks));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return bad(
        `/readyz answers ${error.status}: ${error.problem.detail}`,
        'Read the log of the process that the check names, and check its store or NATS server.',
      );
    }
  },
};

const conductors: Check = {
  name: 'conductors do the work',
  async look({ api }) {
    const { items } = await api.read<{ items: Document[] }>('/v1/conductors');
    const live = items.filter(({ state }) => state === 'LIVE');
    const lost = items
      .filter(({ state }) => state !== 'LIVE')
      .map(({ id, state }) => `${inline(id)} is ${inline(state)}`);
    if (live.length === 0) return bad('no conductor is live', 'Start a conductor, and see that it reaches NATS.');
    return lost.length === 0
      ? good(`${live.length} live`)
      : bad(lost.join(', '), 'Start them again, or drain them for good: stave conductors drain <id>.');
  },
};

const explained = new Set(['node-groups', 'containers']);

/** Counts and names what is in a status that needs somebody. */
const resources = (path: string, noun: string, statuses: string): Check => ({
  name: `${noun} are well`,
  async look({ api }) {
    const query = { status: statuses, limit: 3, total: true };
    const { items, total = items.length } = await api.read<{ items: Document[]; total?: number }>(path, query);
    if (items.length === 0) return good(`none is ${statuses.replaceAll(',', ' or ')}`);
    const named = items.map(
      ({ name, status, statusReason }) =>
        `${inline(name)} ${inline(status)}${statusReason ? `: ${inline(reasonText(statusReason))}` : ''}`,
    );
    return bad(
      `${total}: ${named.join('; ')}`,
      `See them all: stave ${noun} list --status ${statuses}; then stave ${noun} history <ref>${explained.has(noun) ? `, stave ${noun} why <ref>` : ''}.`,
    );
  },
});

const checks: readonly Check[] = [
  reachable,
  signedIn,
  ready,
  conductors,
  resources('/v1/clusters', 'clusters', 'FAILED,DEGRADED'),
  resources('/v1/node-groups', 'node-groups', 'DEGRADED'),
  resources('/v1/nodes', 'nodes', 'FAILED,UNREACHABLE'),
  resources('/v1/containers', 'containers', 'FAILED,UNSCHEDULABLE'),
  resources('/v1/machines', 'machines', 'QUARANTINED,UNREACHABLE'),
];

/** Examines the installation in the order in which things depend on each other. Returns `refused` when something is wrong. */
export async function doctor(session: Session): Promise<number> {
  const { terminal, format } = session;
  const findings: Finding[] = [];
  for (const { name, needed, look } of checks) {
    const finding = { check: name, ...(await answered(() => look(session))) };
    findings.push(finding);
    if (format === 'table' || format === 'wide') {
      terminal.out(`${finding.ok ? 'ok  ' : 'BAD '} ${name}: ${finding.detail}\n`);
      if (finding.remedy) terminal.out(`     ${finding.remedy}\n`);
    }
    if (needed && !finding.ok) break;
  }
  if (format !== 'table' && format !== 'wide') writeDocument(terminal, format, { findings });
  return findings.every(({ ok }) => ok) ? exitCodes.done : exitCodes.refused;
}

/** A look that is refused or gets no answer is a finding, too. */
async function answered(look: () => Promise<Omit<Finding, 'check'>>): Promise<Omit<Finding, 'check'>> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof ProblemError && error.status === 403) return good('not shown to this role');
    if (error instanceof ProblemError || error instanceof ConnectionError)
      return bad(error.message, 'Try again; the correlation id is in the logs of the product.');
    throw error;
  }
}
