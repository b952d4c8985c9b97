import { BadEnvironmentError } from '../config/read-environment.js';
import type { Logger } from '../observability/logger.js';
import type { ClientFiles } from './certificate-pair.js';

/** A setting by which something crosses the network in clear text, or is believed without a proof. It contains no value. */
export interface InsecureSetting {
  readonly setting: string;
  readonly problem: string;
}

/** What a process serves and reaches; a member is absent where the process does not have it. Addresses are connection strings. */
export interface TransportSettings {
  /** The file of the certificate that the process shows to its clients; empty: it serves without TLS. */
  readonly certFile?: string;
  readonly nats?: {
    readonly servers: string | readonly string[];
    readonly caFile?: string;
    readonly certFile?: string;
  };
  readonly eventStoreUrl?: string;
  readonly mongoUrl?: string;
  /** With an authority or a certificate the client insists on TLS. */
  readonly mongoFiles?: ClientFiles;
  /** URLs by the setting that has them. */
  readonly urls?: readonly { readonly setting: string; readonly url: string }[];
}

const problem = (setting: string, text: string): InsecureSetting => ({ setting, problem: text });

/** Returns every insecure setting, one entry for each. */
export function insecureSettings(given: TransportSettings): readonly InsecureSetting[] {
  const { certFile, nats, eventStoreUrl, mongoUrl, mongoFiles = {}, urls = [] } = given;
  const found: InsecureSetting[] = [];
  if (certFile === '') found.push(problem('TLS_CERT_FILE', 'is not set: clients are served without TLS'));
  if (nats && !nats.caFile && !nats.certFile && !serversIn(nats.servers).every(isSecureNats))
    found.push(
      problem(
        'NATS_URL',
        'names a server without tls:// or wss://, and there is no NATS_CA_FILE: it may be reached without TLS',
      ),
    );
  if (eventStoreUrl !== undefined && optionOf(eventStoreUrl, 'tls') === 'false')
    found.push(problem('EVENTSTORE_URL', 'has tls=false: the event store is reached without TLS'));
  const mongo = mongoUrl ? mongoProblem(mongoUrl, mongoFiles) : undefined;
  if (mongo) found.push(problem('MONGODB_URL', mongo));
  const settings = new Set(urls.filter(({ url }) => /^http:/i.test(url.trim())).map(({ setting }) => setting));
  for (const setting of settings) found.push(problem(setting, 'names an http:// URL'));
  return found;
}

/** Returns the addresses of a list that is separated by commas. */
export const serversIn = (servers: string | readonly string[]): readonly string[] =>
  typeof servers === 'string' ? servers.split(',') : servers;

/** Whether the client insists on TLS with this server. */
export const isSecureNats = (server: string): boolean => /^(tls|wss):\/\//i.test(server.trim());

/** Whether the client reaches this server over a WebSocket, which always has TLS. */
export const isWebSocketNats = (server: string): boolean => /^wss:\/\//i.test(server.trim());

function mongoProblem(url: string, { caFile, certFile }: ClientFiles): string | undefined {
  const isSecure = /^mongodb\+srv:/i.test(url) || Boolean(caFile ?? certFile);
  const tls = optionOf(url, 'tls') ?? optionOf(url, 'ssl') ?? String(isSecure);
  if (tls !== 'true') return 'has no tls=true: the document store is reached without TLS';
  const loose = ['tlsInsecure', 'tlsAllowInvalidCertificates', 'tlsAllowInvalidHostnames'].filter(
    option => optionOf(url, option) === 'true',
  );
  return loose.length > 0 ? `has ${loose.join(' and ')}: the server proves nothing` : undefined;
}

/** Returns the last value of an option of a connection string, in lower case. */
function optionOf(url: string, option: string): string | undefined {
  const query = url.slice(url.indexOf('?') + 1 || url.length);
  const values = query.split(/[&;]/).map(pair => pair.split('='));
  const value = values.findLast(([name = '']) => name.trim().toLowerCase() === option.toLowerCase())?.[1];
  return value?.trim().toLowerCase();
}

/** Names insecure settings in the log. Throws BadEnvironmentError, which names them all, when TLS is required. */
export function judgeTransport(given: TransportSettings, required: boolean, log: Pick<Logger, 'warn'>): void {
  const found = insecureSettings(given);
  if (found.length === 0) return;
  const texts = found.map(({ setting, problem: text }) => `${setting} ${text}`);
  if (required) throw new BadEnvironmentError(texts.map(text => `REQUIRE_TLS=true, and ${text}`));
  log.warn({ settings: found.map(({ setting }) => setting), problems: texts }, 'insecure settings');
}
