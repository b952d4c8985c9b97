import { RefusedError } from '@stave/contracts';
import type { Logger } from '@stave/platform';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { member } from '../http/members.js';

/** Keys are fetched again in the background when they are this old, and are no longer used when they are twice as old. */
const REFRESH_MS = 30_000;
const MAX_AGE_MS = 60_000;
/** At most one fetch in this time, whatever key ids tokens name. */
const PAUSE_MS = 1_000;
const FETCH_TIMEOUT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;

type FindKey = ReturnType<typeof createLocalJWKSet>;

interface KeySet {
  readonly text: string;
  readonly find: FindKey;
  /** Counts the different key sets that the issuer has published. */
  readonly generation: number;
}

const unavailable = (): RefusedError =>
  new RefusedError({
    code: 'issuer-unavailable',
    kind: 'unavailable',
    detail: 'the issuer of the token does not answer; repeat the request later',
    retryAfterMs: PAUSE_MS,
  });

async function bodyOf(url: string): Promise<string> {
  const headers = { accept: 'application/json' };
  const answer = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
  if (!answer.ok || !answer.body) throw new Error(`${url} answered ${answer.status}`);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body) {
    bytes += part.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`${url} answered more than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/**
 * The public keys of one issuer, found by its discovery document. A key that the issuer adds or removes is noticed within a minute; an
 * unknown key id makes that sooner.
 */
export class IssuerKeys {
  private keys: KeySet | undefined;
  private fetchedAt = -Infinity;
  private attemptedAt = -Infinity;
  private attempt: Promise<void> | undefined;
  private isFailing = false;

  constructor(
    private readonly issuer: string,
    private readonly log: Logger,
  ) {}

  /** Returns whether tokens that were verified with the key set of this generation are still to be accepted. Starts a fetch when it is due. */
  isCurrent(generation: number): boolean {
    const ageMs = performance.now() - this.fetchedAt;
    if (ageMs >= REFRESH_MS) void this.refresh();
    return ageMs < MAX_AGE_MS && this.keys?.generation === generation;
  }

  /** Returns the present keys. Throws RefusedError `issuer-unavailable` when there are none that are recent enough. */
  async current(): Promise<KeySet> {
    const ageMs = (): number => performance.now() - this.fetchedAt;
    if (ageMs() >= MAX_AGE_MS) await this.refresh();
    else if (ageMs() >= REFRESH_MS) void this.refresh();
    if (!this.keys || ageMs() >= MAX_AGE_MS) throw unavailable();
    return this.keys;
  }

  /** Fetches the keys because a token names one that is unknown. Returns undefined when they are the same, or were fetched a moment ago. */
  async newer({ generation }: KeySet): Promise<KeySet | undefined> {
    await this.refresh();
    return this.keys && this.keys.generation > generation ? this.keys : undefined;
  }

  /** Never rejects: what failed is logged once, until a fetch succeeds. */
  private refresh(): Promise<void> {
    if (this.attempt) return this.attempt;
    if (performance.now() - this.attemptedAt < PAUSE_MS) return Promise.resolve();
    this.attemptedAt = performance.now();
    this.attempt = this.fetch()
      .then(
        () => this.noteSuccess(),
        (error: unknown) => this.noteFailure(error),
      )
      .finally(() => (this.attempt = undefined));
    return this.attempt;
  }

  private async fetch(): Promise<void> {
    const startedAt = performance.now();
    const discovery = `${this.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const document: unknown = JSON.parse(await bodyOf(discovery));
    if (member(document, 'issuer') !== this.issuer) throw new Error(`${discovery} is the document of another issuer`);
    const text = await bodyOf(this.keysUrlIn(document));
    if (text !== this.keys?.text) {
      const find = createLocalJWKSet(JSON.parse(text) as JSONWebKeySet);
      this.keys = { text, find, generation: (this.keys?.generation ?? 0) + 1 };
    }
    this.fetchedAt = startedAt;
  }

  private keysUrlIn(document: unknown): string {
    const url = member(document, 'jwks_uri');
    const schemes = this.issuer.startsWith('https:') ? ['https:'] : ['https:', 'http:'];
    if (typeof url !== 'string' || !URL.canParse(url) || !schemes.includes(new URL(url).protocol))
      throw new Error('the discovery document names no usable jwks_uri');
    return url;
  }

  private noteSuccess(): void {
    if (this.isFailing) this.log.info({ issuer: this.issuer }, 'the issuer answers again');
    this.isFailing = false;
  }

  private noteFailure(err: unknown): void {
    if (!this.isFailing) this.log.warn({ err, issuer: this.issuer }, 'the keys of an issuer cannot be fetched');
    this.isFailing = true;
  }
}
