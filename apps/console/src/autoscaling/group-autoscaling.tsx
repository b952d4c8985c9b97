import { useQuery } from '@tanstack/react-query';
import { readAt } from '../api/any-path.js';
import { unlessStopped } from '../api/stopped.js';
import type { GroupAutoscalingNow, NodeGroup } from '../api/types.js';
import { Resource } from '../parts/resource.js';
import { CommandLine, Empty, ErrorState, Loading } from '../parts/states.js';
import { Age } from '../parts/time.js';
import { OnlyNow } from '../time/time-bar.js';
import { GroupSizes } from './group-sizes.js';
import { wordsOf } from '../parts/words.js';
import { shell } from '../parts/shell-command.js';

const READ_MS = 3_000;

const useNow = (id: string) =>
  useQuery({
    queryKey: ['group autoscaling', id],
    queryFn: ({ signal }) => readAt<GroupAutoscalingNow>(`/v1/node-groups/${id}/autoscaling`, {}, signal),
    refetchInterval: unlessStopped(READ_MS),
  });

const words = (code: string): string => code.replaceAll('_', ' ').toLowerCase();

function Candidates({ candidates }: Pick<GroupAutoscalingNow, 'candidates'>) {
  if (candidates.length === 0) return <p className="dim quiet-line">No node is idle.</p>;
  return (
    <ul className="plain">
      {candidates.slice(0, 40).map(({ nodeId, idleSince, removableAt, blockedBy }) => (
        <li key={nodeId} className="line">
          <Resource type="node" id={nodeId} className="strong" />
          {idleSince ? (
            <span>
              idle <Age time={idleSince} />
            </span>
          ) : (
            <span className="dim">in use</span>
          )}
          {removableAt ? (
            <span className="dim">
              can go <Age time={removableAt} />
            </span>
          ) : null}
          <span className="space" />
          <span className="dim">{blockedBy.map(words).join(', ')}</span>
        </li>
      ))}
    </ul>
  );
}

/** What the autoscaler of a node group saw and proposes: what waits, which nodes are idle, and what holds it. */
export function GroupAutoscaling({ group, cluster }: { readonly group: NodeGroup; readonly cluster: string }) {
  const { data: now, error, refetch } = useNow(group.id);
  if (error && !now) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!now) return <Loading />;
  const change = shell`stave ng update ${cluster}/${group.name} --set autoscaling.enabled=true --plan`;
  if (now.state === 'disabled')
    return (
      <Empty title="This node group keeps its size">
        <p>With autoscaling it grows for containers that wait, and gives up nodes that are idle.</p>
        <CommandLine>{change}</CommandLine>
      </Empty>
    );
  const { state, count, minCount, maxCount, upcoming, proposal, backoff, lastRefusal, heldUntil } = now;
  return (
    <>
      <OnlyNow>What the autoscaler sees is of now.</OnlyNow>
      <p className="verdict">
        <b>{wordsOf(state)}</b>: {count} nodes of {minCount} to {maxCount ?? 'any number'}
        {upcoming > 0 ? `, ${upcoming} on their way` : ''}.
        {proposal
          ? ` It proposes ${proposal.nodes ? `${proposal.nodes} more` : `to remove ${proposal.nodeIds?.length ?? 0}`}.`
          : ''}
        {backoff && !backoff.isOver
          ? ` After ${backoff.failures} failures it waits until ${new Date(backoff.until).toLocaleTimeString()}.`
          : ''}
        {lastRefusal ? ` Its last proposal was refused: ${lastRefusal.code}.` : ''}
        {heldUntil ? ` Held until ${new Date(heldUntil).toLocaleTimeString()}.` : ''}
      </p>
      <section className="panel" aria-labelledby="sizes">
        <h2 id="sizes">What it did</h2>
        <GroupSizes group={group} limits={{ minCount, maxCount }} />
      </section>
      <section className="panel" aria-labelledby="idle">
        <h2 id="idle">Nodes that could go</h2>
        <Candidates candidates={now.candidates} />
      </section>
      <CommandLine>{shell`stave why ${cluster}/${group.name}`}</CommandLine>
    </>
  );
}
