import { fieldError } from '../forms/field-error.js';
import { useUrl } from '../parts/use-url.js';
import { ChangePage } from './change-page.js';
import { aGroup, GroupFields } from './group-fields.js';
import { flag, shell } from '../parts/shell-command.js';

/** Adds a node group to a cluster. */
export function NewGroupPage() {
  const [get] = useUrl();
  const cluster = get('cluster') ?? '';
  return (
    <ChangePage
      title={`New node group of ${cluster}`}
      within={[['/clusters', 'Clusters']]}
      method="post"
      path={`/v1/clusters/${encodeURIComponent(cluster)}/node-groups`}
      body={aGroup}
      fields={(group, change, error) => (
        <GroupFields errorAt={pointer => fieldError(error, pointer)} {...{ group, change }} />
      )}
      command={shell`stave ng create${flag('cluster', cluster)} -f - --plan`}
      made={answer => `/groups/${(answer as { id: string }).id}`}
    />
  );
}
