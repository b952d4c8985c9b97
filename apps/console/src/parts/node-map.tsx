import type { Node } from '../api/types.js';
import { byConcern, Status, toneOf } from './status.js';

/** More cells than this say nothing to a reader, and cost an element each. */
const MAX_CELLS = 600;

/** A cell for each node, by zone, the worst first. What it leaves out it says. */
export function NodeMap({ nodes, total }: { readonly nodes: readonly Node[]; readonly total: number }) {
  const shown = nodes.slice(0, MAX_CELLS);
  const zones = new Map<string, Node[]>();
  for (const node of shown) {
    const members = zones.get(node.zone ?? '');
    if (members) members.push(node);
    else zones.set(node.zone ?? '', [node]);
  }
  const statuses = [...new Set(shown.map(({ status }) => status))].sort(byConcern);
  return (
    <section className="node-map" aria-label="Nodes by zone">
      <div className="zones">
        {[...zones]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([zone, members]) => (
            <figure key={zone}>
              <figcaption>
                {zone === '' ? 'no zone' : `zone ${zone}`} <span className="dim">{members.length}</span>
              </figcaption>
              <div className="cells">
                {members
                  .sort((a, b) => byConcern(a.status, b.status))
                  .map(({ id, name, status }) => (
                    <span
                      key={id}
                      title={`${name}: ${status.toLowerCase()}`}
                      className={`cell fill-${toneOf(status)}`}
                    />
                  ))}
              </div>
            </figure>
          ))}
      </div>
      <p className="statuses">
        {statuses.map(status => (
          <Status key={status} status={status} count={shown.filter(node => node.status === status).length} />
        ))}
        {total > shown.length ? (
          <span className="dim">
            the first {shown.length} of {total.toLocaleString('en')}
          </span>
        ) : null}
      </p>
    </section>
  );
}
