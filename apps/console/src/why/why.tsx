import { useQuery } from '@tanstack/react-query';
import { readAt } from '../api/any-path.js';
import { resourceTypes } from '../api/resource-types.js';
import { unlessStopped } from '../api/stopped.js';
import type { Container, Explanation } from '../api/types.js';
import { Resource } from '../parts/resource.js';
import { CommandLine, ErrorState, Loading } from '../parts/states.js';
import { OnlyNow } from '../time/time-bar.js';
import { Refusals } from './refusals.js';
import { Remedies } from './remedies.js';
import { Scores } from './scores.js';
import { shell } from '../parts/shell-command.js';

/** An explanation depends on all nodes of a cluster, which no event of one resource says. */
const READ_MS = 5_000;

const useExplanation = (type: string, id: string) =>
  useQuery({
    queryKey: ['explanation', type, id],
    queryFn: ({ signal }) => readAt<Explanation>(`${resourceTypes[type]?.list}/${id}/explain`, {}, signal),
    refetchInterval: unlessStopped(READ_MS),
    meta: { watch: { ids: [id] } },
  });

function Verdict({ type, explanation }: { readonly type: string; readonly explanation: Explanation }) {
  const { nodes, position, status } = explanation;
  const waits = position !== null;
  return (
    <p className={waits ? 'verdict verdict-waits' : 'verdict'}>
      {waits ? (
        <b>It waits{position > 1 ? `, as number ${position} in the queue` : ''}.</b>
      ) : (
        <b>
          {type === 'container'
            ? `It is ${(status ?? 'there').toLowerCase()}.`
            : `Its status is ${(status ?? 'unknown').toLowerCase()}.`}
        </b>
      )}{' '}
      {type === 'nodeGroup'
        ? `${nodes.total} nodes were looked at for one that could go.`
        : `${nodes.passing} of ${nodes.total} nodes could take it now.`}
    </p>
  );
}

function Growth({ growth }: Pick<Explanation, 'growth'>) {
  if (growth.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="growth">
      <h2 id="growth">Why node groups do not grow for it</h2>
      <ul className="plain">
        {growth.map(({ nodeGroup, code, sentence }) => (
          <li key={`${nodeGroup}${code}`} className="line">
            <Resource type="nodeGroup" id={nodeGroup} className="strong" />
            <span>{sentence}</span>
            <span className="space" />
            <code className="dim">{code}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Scaling({ scaling = [] }: Pick<Explanation, 'scaling'>) {
  if (scaling.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="scaling">
      <h2 id="scaling">Why its size does not change</h2>
      <ul className="plain">
        {scaling.map(({ direction, code, sentence }) => (
          <li key={`${direction}${code}`} className="line">
            <span className="strong">{direction === 'out' ? 'Not more' : 'Not fewer'}</span>
            <span>{sentence}</span>
            <span className="space" />
            <code className="dim">{code}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface WhyProps {
  readonly type: 'container' | 'containerSet' | 'nodeGroup';
  readonly id: string;
  readonly name: string;
  readonly placement?: Container['placement'];
}

/** Why something is where it is, or waits: scores of nodes, reasons of refusals, and what would help. */
export function Why({ type, id, name, placement }: WhyProps) {
  const { data, error, refetch } = useExplanation(type, id);
  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const waits = data.position !== null;
  const isGroup = type === 'nodeGroup';
  return (
    <div className="why-page">
      <OnlyNow>An explanation is of the present state.</OnlyNow>
      <Verdict type={type} explanation={data} />
      {placement && !waits ? <Scores placement={placement} /> : null}
      {waits ? <Remedies explanation={data} /> : null}
      <Refusals
        title={isGroup ? 'Why no node can go' : 'Nodes that cannot take it'}
        refusals={data.refusals}
        total={data.nodes.total}
      />
      <Growth growth={data.growth} />
      <Scaling {...(data.scaling ? { scaling: data.scaling } : {})} />
      {waits || data.remedies.length === 0 ? null : <Remedies explanation={data} />}
      <CommandLine>{shell`stave why ${name}`}</CommandLine>
    </div>
  );
}
