import { useBelow } from '../api/lists.js';
import { useName } from '../api/names.js';
import type { AttachedPolicy, Page, Policy } from '../api/types.js';
import { Resource } from '../parts/resource.js';
import { Empty, ErrorState, Loading } from '../parts/states.js';
import { wordsOf } from '../parts/words.js';
import { OnlyNow } from '../time/time-bar.js';
import { AttachmentDialog } from './attachment-dialog.js';
import { AttachmentLine } from './attachment-line.js';
import { targetTypes } from './targets.js';

const LIMIT = 100;

export const useAttachments = (id: string) =>
  useBelow<Page<AttachedPolicy>>(`/v1/policies/${id}/attachments`, [id], { limit: LIMIT });

function Line({ attachment }: { readonly attachment: AttachedPolicy }) {
  const { targetType, targetId } = attachment;
  const name = useName(targetType, targetId);
  return (
    <AttachmentLine attachment={attachment} title={name}>
      <span className="dim">{wordsOf(targetType)}</span>
      <Resource type={targetType} id={targetId} className="strong" />
    </AttachmentLine>
  );
}

/** What a policy is attached to, and how that is changed. */
export function Attachments({ policy: { id, name } }: { readonly policy: Policy }) {
  const { data, error, refetch } = useAttachments(id);
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  return (
    <>
      <OnlyNow>Attachments are shown as they are now.</OnlyNow>
      <div className="toolbar actions">
        <AttachmentDialog label="Attach" title={`Attach ${name}`} policy={id} choose={targetTypes} />
      </div>
      {data.items.length === 0 ? (
        <Empty title="It is attached to nothing">
          <p>A policy has no effect before it is attached to a cluster, a node group or a container set.</p>
        </Empty>
      ) : (
        <ul className="plain panel">
          {data.items.map(attachment => (
            <Line key={`${attachment.targetType}${attachment.targetId}`} attachment={attachment} />
          ))}
          {data.nextCursor === null ? null : <li className="dim">The first {data.items.length} are shown.</li>}
        </ul>
      )}
    </>
  );
}
