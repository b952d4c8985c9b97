import { NumberInput, Select, TextInput } from '@mantine/core';
import { useShortList } from '../api/lists.js';
import type { ContainerProfile } from '../api/types.js';
import { ChangePage, type Body } from './change-page.js';
import { shell } from '../parts/shell-command.js';

interface FieldsProps {
  readonly body: Body;
  readonly change: (changes: Body) => void;
  readonly hasNumber: boolean;
}

function Fields({ body, change, hasNumber }: FieldsProps) {
  const profiles = useShortList<ContainerProfile>('/v1/container-profiles', { limit: 100, sort: 'name' }, [
    'containerProfile',
  ]);
  const { name = '', profile = null, desired } = body;
  return (
    <div className="fields">
      <TextInput
        label="Name"
        required
        value={String(name)}
        onChange={event => change({ name: event.currentTarget.value })}
      />
      <Select
        label="Profile"
        description="what each container is"
        searchable
        data={profiles.data?.items.map(one => one.name) ?? []}
        value={profile === null ? null : String(profile)}
        onChange={value => change({ profile: value ?? undefined })}
      />
      {hasNumber ? (
        <NumberInput
          label="Members"
          min={0}
          max={10_000}
          allowDecimal={false}
          value={typeof desired === 'number' ? desired : ''}
          onChange={value => change({ desired: value === '' ? undefined : Number(value) })}
        />
      ) : null}
    </div>
  );
}

/** Creates a container set of a profile. */
export const NewSetPage = () => (
  <ChangePage
    title="New container set"
    within={[['/sets', 'Container sets']]}
    method="post"
    path="/v1/container-sets"
    body={{ name: '', desired: 3 }}
    fields={(body, change) => <Fields hasNumber {...{ body, change }} />}
    command={shell`stave container-sets create -f - --plan`}
    made={answer => `/sets/${(answer as { id: string }).id}`}
  />
);

/** Creates a container of a profile. */
export const NewContainerPage = () => (
  <ChangePage
    title="New container"
    within={[['/containers', 'Containers']]}
    method="post"
    path="/v1/containers"
    body={{ name: '' }}
    fields={(body, change) => <Fields hasNumber={false} {...{ body, change }} />}
    command={shell`stave containers create -f - --plan`}
    made={answer => `/containers/${(answer as { id: string }).id}`}
  />
);
