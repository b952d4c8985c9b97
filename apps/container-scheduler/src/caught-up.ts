import type { ServiceRuntime } from '@stave/platform';

const PAGE = 1_000;
const WAIT_MS = 2_000;

/**
 * Resolves when this process has folded everything of its streams that was in the log at the call (or after 2 s). The log's head alone
 * does not tell: its last events may be in streams that are not followed, and no subscription passes over those in time.
 */
export async function caughtUp(runtime: ServiceRuntime, streamPrefixes: readonly string[]): Promise<void> {
  const { feed, options } = runtime;
  if (feed.position >= (await options.eventStore.head())) return;
  const after = feed.position < 0 ? {} : { after: feed.position };
  const missing = await options.eventStore.readAll({ ...after, limit: PAGE, filter: { streamPrefixes } });
  const last = missing.at(-1);
  if (last) await feed.waitFor(last.position, WAIT_MS);
}
