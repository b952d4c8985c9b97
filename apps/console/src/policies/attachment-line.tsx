import type { ReactNode } from 'react';
import type { AttachedPolicy } from '../api/types.js';
import { ChangeButton } from '../changes/change-button.js';
import { AttachmentDialog } from './attachment-dialog.js';
import { attachmentPath } from './targets.js';

interface AttachmentLineProps {
  readonly attachment: AttachedPolicy;
  /** The other side, as the title of a change calls it. */
  readonly title: string;
  readonly children: ReactNode;
}

/** An attachment in a list, with what can be done about it. */
export function AttachmentLine({ attachment, title, children }: AttachmentLineProps) {
  const { id, name, targetType, targetId, enabled, priority } = attachment;
  return (
    <li className="line">
      {children}
      <span className="dim">priority {priority}</span>
      {enabled ? null : <span className="bad">switched off</span>}
      <span className="space" />
      <span className="actions">
        <AttachmentDialog
          label="Change"
          title={`Change how ${name} is attached to ${title}`}
          policy={id}
          {...{ targetType, targetId, enabled, priority }}
        />
        <ChangeButton
          label="Detach"
          title={`Detach ${name} from ${title}`}
          request={{ method: 'delete', path: attachmentPath(targetType, targetId, id) }}
        />
      </span>
    </li>
  );
}
