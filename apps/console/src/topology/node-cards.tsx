import { Link } from 'wouter';
import { Status, toneOf } from '../parts/status.js';
import type { TopologyNode } from './read-topology.js';

const CHIPS = 8;

const percent = (share: number): string => `${Math.round(share * 100)} %`;

function Room({ title, share }: { readonly title: string; readonly share: number }) {
  return (
    <span className="room">
      <span className="dim">{title}</span>
      <span className="score-bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span>{percent(share)}</span>
    </span>
  );
}

function Card({ node, hasContainers }: { readonly node: TopologyNode; readonly hasContainers: boolean }) {
  const { id, name, status, schedulable, containers, cpus, memory } = node;
  const left = containers.length - CHIPS;
  return (
    <li className={`node-card tone-${toneOf(status)}`}>
      <div className="line">
        <Link href={`/nodes/${id}`} className="strong">
          {name}
        </Link>
        <span className="space" />
        {status === 'ACTIVE' && schedulable ? null : <Status status={status === 'ACTIVE' ? 'CORDONED' : status} />}
      </div>
      {hasContainers ? (
        <>
          <Room title="cpu" share={cpus} />
          <Room title="mem" share={memory} />
          <p className="chips-of-node">
            {containers.slice(0, CHIPS).map(container => (
              <Link
                key={container.id}
                href={`/containers/${container.id}`}
                className={`chip tone-${toneOf(container.status)}`}
              >
                {container.name}
              </Link>
            ))}
            {left > 0 ? <span className="dim">and {left} more</span> : null}
            {containers.length === 0 ? <span className="dim">empty</span> : null}
          </p>
        </>
      ) : null}
    </li>
  );
}

/** Nodes as cards with the containers on them. */
export const NodeCards = ({
  nodes,
  hasContainers,
}: {
  readonly nodes: readonly TopologyNode[];
  readonly hasContainers: boolean;
}) => (
  <ul className="node-cards">
    {nodes.map(node => (
      <Card key={node.id} {...{ node, hasContainers }} />
    ))}
  </ul>
);
