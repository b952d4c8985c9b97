import { Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useBelow } from '../api/lists.js';
import type { Page, Project, ProjectMember } from '../api/types.js';
import { ChangeButton } from '../changes/change-button.js';
import { Empty, ErrorState, Loading } from '../parts/states.js';
import { NeedsRole } from './needs-role.js';

const roles = ['reader', 'member', 'admin'];

function NewMember({ project }: { readonly project: Project }) {
  const [subject, setSubject] = useState('');
  const [role, setRole] = useState<string>('member');
  return (
    <div className="filters">
      <TextInput
        label="Subject"
        description="as the issuer names it"
        value={subject}
        onChange={event => setSubject(event.currentTarget.value.trim())}
      />
      <Select
        label="Role"
        data={roles}
        value={role}
        allowDeselect={false}
        onChange={value => setRole(value ?? 'member')}
      />
      {subject === '' ? (
        <button type="button" className="quiet" disabled>
          Add member
        </button>
      ) : (
        <ChangeButton
          label="Add member"
          title={`Add ${subject} to ${project.name}`}
          request={{
            method: 'put',
            path: `/v1/projects/${project.id}/members/${encodeURIComponent(subject)}`,
            body: { role },
          }}
        />
      )}
    </div>
  );
}

/** Who signs in and has a role in a project. */
export function Members({ project }: { readonly project: Project }) {
  const path = `/v1/projects/${project.id}/members`;
  const { data, error, refetch } = useBelow<Page<ProjectMember>>(path, [project.id], { limit: 200 });
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  return (
    <>
      <NeedsRole role="admin" project={project.id} what="change its members">
        <NewMember project={project} />
      </NeedsRole>
      {data.items.length === 0 ? <Empty title="No member yet: keys and rules of issuers can give roles, too" /> : null}
      <ul className="plain panel">
        {data.items.map(({ subject, role }) => (
          <li key={subject} className="line">
            <span className="strong">{subject}</span>
            <span className="dim">{role}</span>
            <span className="space" />
            <ChangeButton
              label="Remove"
              title={`Remove ${subject}`}
              request={{ method: 'delete', path: `${path}/${encodeURIComponent(subject)}` }}
            />
          </li>
        ))}
      </ul>
      {data.nextCursor === null ? null : <p className="dim note">The first {data.items.length} are shown.</p>}
    </>
  );
}
