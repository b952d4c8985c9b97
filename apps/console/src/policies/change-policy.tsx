import { Select, TextInput } from '@mantine/core';
import { useResource } from '../api/lists.js';
import type { Policy } from '../api/types.js';
import { ChangePage, type Body } from '../changes/change-page.js';
import { fieldError } from '../forms/field-error.js';
import { initialOf } from '../forms/json-schema.js';
import { patchOf } from '../forms/merge-patch.js';
import { usePolicySchemas, type PolicySchemas } from '../forms/policy-schemas.js';
import { SchemaFields } from '../forms/schema-fields.js';
import { Empty, ErrorState, Loading } from '../parts/states.js';
import { useUrl } from '../parts/use-url.js';
import { shell } from '../parts/shell-command.js';

interface FieldsProps {
  readonly schemas: PolicySchemas;
  readonly type: string;
  readonly body: Body;
  readonly change: (changes: Body) => void;
  readonly error: Error | undefined;
}

function Properties({ schemas, type, body: { properties }, change, error }: FieldsProps) {
  const schema = schemas[type];
  if (!schema) return <p className="reason">This gateway has no type {type}; JSON shows what is written.</p>;
  return (
    <SchemaFields
      key={type}
      schema={schema}
      value={typeof properties === 'object' && properties !== null ? (properties as Body) : {}}
      change={next => change({ properties: next })}
      pointer="/properties"
      error={error}
    />
  );
}

function NewFields(props: Omit<FieldsProps, 'type'>) {
  const { schemas, body, change, error } = props;
  const type = String(body['type'] ?? '');
  return (
    <>
      <div className="fields">
        <TextInput
          label="Name"
          value={String(body['name'] ?? '')}
          error={fieldError(error, '/name')}
          onChange={event => change({ name: event.currentTarget.value || undefined })}
        />
        <Select
          label="Type"
          data={Object.keys(schemas)}
          value={type}
          allowDeselect={false}
          error={fieldError(error, '/type')}
          onChange={next => change({ type: next, properties: initialOf(schemas[next ?? ''] ?? {}) })}
        />
      </div>
      <Properties type={type} {...props} />
    </>
  );
}

const NewPolicy = ({ schemas }: { readonly schemas: PolicySchemas }) => (
  <ChangePage
    title="New policy"
    within={[['/policies', 'Policies']]}
    method="post"
    path="/v1/policies"
    body={{ name: 'spread', type: 'placement', properties: { scorers: { spread: 2 } } }}
    fields={(body, change, error) => <NewFields {...{ schemas, body, change, error }} />}
    command={shell`stave policies create -f - --plan`}
    made={answer => `/policies/${(answer as { id: string }).id}`}
  />
);

/** The patch that makes the properties what the form has; undefined: they are the same. */
function patchBody({ properties: before }: Policy, { properties: after }: Body): Body | undefined {
  if (typeof after !== 'object' || after === null) return { properties: after };
  const properties = patchOf(before as Body, after as Body);
  return Object.keys(properties).length === 0 ? undefined : { properties };
}

function ChangePolicy({ schemas, id }: { readonly schemas: PolicySchemas; readonly id: string }) {
  const { data: policy, error, refetch } = useResource<Policy>('policy', id);
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!policy) return <Loading />;
  const page = `/policies/${policy.id}`;
  return (
    <ChangePage
      title={`Change ${policy.name}`}
      within={[
        ['/policies', 'Policies'],
        [page, policy.name],
      ]}
      method="patch"
      path={`/v1/policies/${policy.id}`}
      body={{ properties: policy.properties }}
      requestBody={body => patchBody(policy, body)}
      fields={(body, change, refusal) => (
        <Properties type={policy.type} error={refusal} {...{ schemas, body, change }} />
      )}
      command={shell`stave policies update ${policy.name} -f - --plan`}
      made={() => page}
    />
  );
}

/** Creates a policy or changes one, by the schema that the gateway has of its type. */
export function ChangePolicyPage() {
  const [get] = useUrl();
  const id = get('id');
  const { data: schemas, error, refetch } = usePolicySchemas();
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!schemas) return <Loading />;
  if (Object.keys(schemas).length === 0) return <Empty title="This gateway has no policies" />;
  return id === undefined ? <NewPolicy schemas={schemas} /> : <ChangePolicy {...{ schemas, id }} />;
}
