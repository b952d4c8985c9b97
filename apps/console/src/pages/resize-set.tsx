import type { ContainerSet } from '../api/types.js';
import { NumberDialog } from '../changes/number-dialog.js';
import { useMoment } from '../time/moment.js';
import { shell } from '../parts/shell-command.js';

export function ResizeSet({ set: { id, name, desired } }: { readonly set: ContainerSet }) {
  const [at] = useMoment();
  if (at !== undefined) return null;
  return (
    <NumberDialog
      buttonTitle={`Resize ${name}`}
      title={`Resize ${name}`}
      label={`Members of ${name}`}
      present={desired}
      request={count => ({ method: 'post', path: `/v1/container-sets/${id}/actions/resize`, body: { count } })}
      command={count => shell`stave container-sets resize ${name} ${count} --plan`}
    />
  );
}
