import { Select, TextInput } from '@mantine/core';
import { useShortList } from '../api/lists.js';
import type { Driver } from '../api/types.js';
import { fieldError } from '../forms/field-error.js';
import { ChangePage, type Body } from './change-page.js';
import { aGroup, GroupFields, type GroupBody } from './group-fields.js';
import { shell } from '../parts/shell-command.js';

interface ClusterBody extends Body {
  readonly name?: string;
  readonly driver?: string;
  readonly nodeGroups?: readonly GroupBody[];
}

function Fields({
  cluster,
  change,
  error,
}: {
  readonly cluster: ClusterBody;
  readonly change: (changes: ClusterBody) => void;
  readonly error: Error | undefined;
}) {
  const drivers = useShortList<Driver>('/v1/drivers', { limit: 100 }, []);
  const { name = '', driver = null, nodeGroups = [] } = cluster;
  return (
    <>
      <div className="fields">
        <TextInput
          label="Name"
          required
          value={name}
          error={fieldError(error, '/name')}
          onChange={event => change({ name: event.currentTarget.value })}
        />
        <Select
          label="Driver"
          error={fieldError(error, '/driver')}
          data={drivers.data?.items.map(one => one.name) ?? []}
          value={driver}
          onChange={value => change({ driver: value ?? undefined })}
        />
      </div>
      {nodeGroups.map((group, index) => (
        <fieldset key={index}>
          <legend>
            Node group {index + 1}{' '}
            <button
              type="button"
              className="quiet"
              onClick={() => change({ nodeGroups: nodeGroups.filter((_, other) => other !== index) })}
            >
              Remove
            </button>
          </legend>
          <GroupFields
            group={group}
            errorAt={pointer => fieldError(error, `/nodeGroups/${index}${pointer}`)}
            change={changes =>
              change({ nodeGroups: nodeGroups.map((one, other) => (other === index ? { ...one, ...changes } : one)) })
            }
          />
        </fieldset>
      ))}
      <button
        type="button"
        className="quiet"
        onClick={() => change({ nodeGroups: [...nodeGroups, { ...aGroup, name: `group-${nodeGroups.length + 1}` }] })}
      >
        Add a node group
      </button>
    </>
  );
}

/** Creates a cluster with its node groups. */
export const NewClusterPage = () => (
  <ChangePage
    title="New cluster"
    within={[['/clusters', 'Clusters']]}
    method="post"
    path="/v1/clusters"
    body={{ name: '', driver: 'fake', nodeGroups: [aGroup] } satisfies ClusterBody}
    fields={(cluster, change, error) => <Fields {...{ cluster, change, error }} />}
    command={shell`stave clusters create -f - --plan`}
    made={answer => `/clusters/${(answer as { id: string }).id}`}
  />
);
