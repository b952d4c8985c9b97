// Reads the notes of `recordServer` in libs/testing: on which servers each suite ran.
import { existsSync, readFileSync } from 'node:fs';

const PARTS = ['event store', 'document store', 'messaging'];

/** Returns a row for each suite that noted a server, with the path from `root` and the servers of each part; `-`: none was noted. */
export function serversUsed(file, root) {
  const suites = new Map();
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  for (const { suite, part, server } of lines.map(line => JSON.parse(line))) {
    const parts = suites.get(suite) ?? new Map(PARTS.map(name => [name, new Set()]));
    parts.get(part)?.add(server);
    suites.set(suite, parts);
  }
  return [...suites]
    .map(([suite, parts]) => ({
      suite: suite.startsWith(root) ? suite.slice(root.length + 1) : suite,
      ...Object.fromEntries(PARTS.map(part => [part, [...parts.get(part)].sort().join(', ') || '-'])),
    }))
    .sort((a, b) => a.suite.localeCompare(b.suite));
}
