import { Button, Modal, Select, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { sent } from '../api/any-path.js';
import { useBelow } from '../api/lists.js';
import type { ApiKey, Page, Project } from '../api/types.js';
import { ChangeButton } from '../changes/change-button.js';
import { CommandLine, Empty, ErrorState, Loading } from '../parts/states.js';
import { Age } from '../parts/time.js';
import { NeedsRole } from './needs-role.js';
import { shell } from '../parts/shell-command.js';

const roles = ['reader', 'member', 'admin'];

/** The secret of a new key, which is in this answer and nowhere else. */
function Secret({ text, close }: { readonly text: string; readonly close: () => void }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <Modal
      opened
      onClose={close}
      title="The new key"
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <p className="reason">This is shown once. Stave keeps only its hash.</p>
      <pre className="log secret" tabIndex={0}>
        {text}
      </pre>
      <div className="form-end">
        <Button variant="default" onClick={() => void navigator.clipboard?.writeText(text).then(() => setCopied(true))}>
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
        <Button onClick={close}>I have kept it</Button>
      </div>
    </Modal>
  );
}

function NewKey({ project, made }: { readonly project: string; readonly made: () => void }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState('reader');
  const [secret, setSecret] = useState<string>();
  const [error, setError] = useState<Error>();
  const create = async (): Promise<void> => {
    setError(undefined);
    try {
      const body = { project, role, ...(name === '' ? {} : { name }) };
      setSecret((await sent<ApiKey>({ method: 'post', path: '/v1/api-keys', body })).key);
      setName('');
      made();
    } catch (refusal) {
      setError(refusal as Error);
    }
  };
  return (
    <>
      <form
        className="filters"
        onSubmit={event => {
          event.preventDefault();
          void create();
        }}
      >
        <TextInput
          label="Name"
          description="who or what uses it"
          value={name}
          onChange={event => setName(event.currentTarget.value)}
        />
        <Select
          label="Role"
          data={roles}
          value={role}
          allowDeselect={false}
          onChange={value => setRole(value ?? 'reader')}
        />
        <Button type="submit" variant="default">
          Make a key
        </Button>
      </form>
      {error ? <ErrorState error={error} /> : null}
      {secret === undefined ? null : <Secret text={secret} close={() => setSecret(undefined)} />}
    </>
  );
}

function KeyList({ project }: { readonly project: Project }) {
  const cache = useQueryClient();
  const { data, error, refetch } = useBelow<Page<ApiKey>>('/v1/api-keys', [], { projectId: project.id, limit: 200 });
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const again = (): void => void cache.invalidateQueries({ queryKey: ['below', '/v1/api-keys'] });
  return (
    <>
      <NewKey project={project.id} made={again} />
      {data.items.length === 0 ? <Empty title="No key yet" /> : null}
      <ul className="plain panel">
        {data.items.map(({ id, name, role, prefix, expiresAt, lastUsedAt }) => (
          <li key={id} className="line">
            <span className="strong">{name}</span>
            <span>{role}</span>
            <code className="dim">{prefix}…</code>
            <span className="dim">
              {expiresAt === null ? (
                'does not expire'
              ) : (
                <>
                  ends <Age time={expiresAt} />
                </>
              )}
            </span>
            <span className="dim">
              {lastUsedAt === null ? (
                'not used yet'
              ) : (
                <>
                  used <Age time={lastUsedAt} />
                </>
              )}
            </span>
            <span className="space" />
            <ChangeButton
              label="Revoke"
              title={`Revoke ${name}`}
              request={{ method: 'delete', path: `/v1/api-keys/${id}` }}
            />
          </li>
        ))}
      </ul>
      <CommandLine>{shell`stave api-keys list`}</CommandLine>
    </>
  );
}

/** The keys of a project. The secret of a key is shown once, when it is made. */
export const Keys = ({ project }: { readonly project: Project }) => (
  <NeedsRole role="admin" project={project.id} what="see and make keys">
    <KeyList project={project} />
  </NeedsRole>
);
