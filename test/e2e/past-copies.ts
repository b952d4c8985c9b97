import { eventually, type Page, type StaveClient } from '@stave/testing';
import type { CloudEventView, ResourceView } from './views.js';

type Shown = ResourceView & { readonly updatedAt: string; readonly labels?: unknown };

interface Copy {
  readonly path: string;
  readonly body: Shown;
}

const POLL_MS = 5;

/** Removes the fields that reads of the past do not have: the operating driver version and telemetry. */
function withoutPresent(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutPresent);
  if (typeof body !== 'object' || body === null) return body;
  const { operatedBy: _operator, utilisation: _usage, ...rest } = body as Record<string, unknown>;
  return rest;
}

const isList = (path: string): boolean => /[/](clusters|node-groups|nodes)(\?|$)/.test(path);
const joined = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`;

/** Copies what the API shows while resources change, so that later reads of the past can be compared with it. */
export class PastCopies {
  readonly quietOnes: { readonly when: string; readonly at: string; readonly shown: Map<string, unknown> }[] = [];
  private readonly paths = new Set<string>();
  private readonly ids = new Map<string, string>();
  private readonly seen = new Map<string, Copy>();

  private since = new Date().toISOString();

  constructor(private readonly api: StaveClient) {}

  add(...paths: readonly string[]): void {
    for (const path of paths) this.paths.add(path);
  }

  /** Copies all resources repeatedly until `changes` has completed. */
  async following(changes: () => Promise<void>): Promise<void> {
    let over = false;
    const watching = eventually(
      async () => {
        for (const path of this.paths) if (!isList(path)) await this.copy(path);
        return over;
      },
      { timeoutMs: 120_000, everyMs: POLL_MS, what: 'the end of the changes' },
    );
    await changes().finally(() => (over = true));
    await watching;
  }

  /** Waits until no more events are appended, and copies what the API shows, with the time. */
  async quiet(when: string): Promise<void> {
    const one = await eventually(
      async () => {
        const head = await this.head();
        const shown = new Map<string, unknown>();
        for (const path of this.paths) shown.set(path, await this.present(path, head));
        const at = new Date().toISOString();
        return (await this.head()) === head ? { when, at, shown } : undefined;
      },
      { timeoutMs: 20_000, what: `no new event when ${when}` },
    );
    this.quietOnes.push(one);
    // An event in the millisecond of the copy would belong to a past read at that time.
    await eventually(() => new Date().toISOString() > one.at);
  }

  quietAt(when: string): string {
    const at = this.quietOnes.find(one => one.when === when)?.at;
    if (at === undefined) throw new Error(`no copy was made when ${when}`);
    return at;
  }

  /** Reads the path at a past time; undefined when the resource did not exist. Names are resolved as of that time. */
  async past(path: string, at: string): Promise<Shown> {
    const answer = await this.api.get<Shown | Page<unknown>>(joined(this.byId(path), `at=${encodeURIComponent(at)}`));
    return this.record(path, answer.status, answer.body) as Shown;
  }

  /**
   * Returns the copies whose last event is the only one in its millisecond, because a past read at that time would
   * include the others.
   */
  async ofOwnEvents(): Promise<readonly Copy[]> {
    const copies: Copy[] = [];
    for (const { path, body } of this.seen.values()) {
      const events = await this.api.list<CloudEventView & { time: string }>(`${this.byId(path)}/events?limit=500`);
      if (events.filter(({ time }) => time === body.updatedAt).length === 1) copies.push({ path, body });
    }
    return copies;
  }

  /** Returns the position of the last event. */
  private async head(): Promise<string> {
    for (;;) {
      const path = `/v1/events?limit=500&since=${this.since}`;
      const last = (await this.api.list<CloudEventView>(path)).at(-1);
      if (!last) return this.since;
      this.since = last.position;
    }
  }

  private async present(path: string, minPosition?: string): Promise<unknown> {
    const answer = await this.api.get<Shown>(
      minPosition === undefined ? path : joined(path, `minPosition=${minPosition}`),
    );
    if (answer.status === 200 && !isList(path)) this.ids.set(path, answer.body.id);
    return this.record(path, answer.status, answer.body);
  }

  private async copy(path: string): Promise<void> {
    const body = await this.present(path);
    if (body === undefined) return;
    const copy = { path, body: body as Shown };
    this.seen.set(`${path} ${copy.body.updatedAt} ${copy.body.status}`, copy);
  }

  private record(path: string, status: number, body: unknown): unknown {
    if (status === 404) return isList(path) ? [] : undefined;
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
    return withoutPresent(isList(path) ? (body as Page<unknown>).items : body);
  }

  /** Replaces the name by the id, because another resource may have the name later. */
  private byId(path: string): string {
    const id = this.ids.get(path);
    return id === undefined ? path : path.replace(/[^/]+$/, id);
  }
}
