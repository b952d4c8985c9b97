import type { NodeGroup } from '../api/types.js';
import { NumberDialog } from '../changes/number-dialog.js';
import { shell } from '../parts/shell-command.js';

interface ResizeProps {
  /** The name of the cluster. */
  readonly cluster: string;
  readonly group: NodeGroup;
}

export const ResizeGroup = ({ cluster, group: { id, clusterId, name, count } }: ResizeProps) => (
  <NumberDialog
    buttonTitle={`Resize ${name}`}
    title={`Resize ${cluster}/${name}`}
    label={`Nodes of ${name}`}
    present={count}
    request={wanted => ({
      method: 'patch',
      path: `/v1/clusters/${clusterId}/node-groups/${id}`,
      body: { count: wanted },
    })}
    command={wanted => shell`stave ng resize ${cluster}/${name} ${wanted} --plan`}
  />
);
