import type { Project } from '../api/types.js';
import { DetailPage, type Part } from '../parts/detail-page.js';
import { Status } from '../parts/status.js';
import { Age } from '../parts/time.js';
import { Audit } from './audit.js';
import { Keys } from './keys.js';
import { Members } from './members.js';
import { ProjectQuotas } from './project-quotas.js';

const parts: readonly Part<Project>[] = [
  {
    name: 'quotas',
    title: 'Quotas',
    content: ({ id }) => <ProjectQuotas project={id} />,
  },
  { name: 'members', title: 'Members', content: project => <Members project={project} /> },
  { name: 'keys', title: 'Keys', content: project => <Keys project={project} /> },
  { name: 'audit', title: 'Audit', content: ({ id }) => <Audit project={id} /> },
];

/** A project: what it may use, who may do what in it, and what was asked for. */
export const ProjectPage = ({ id, tab }: { readonly id: string; readonly tab: string | undefined }) => (
  <DetailPage<Project>
    type="project"
    within={['/access', 'Access']}
    facts={({ status, description, createdAt }) => (
      <p className="facts">
        <Status status={status} />
        {description ? <span>{description}</span> : null}
        <span className="dim">
          created <Age time={createdAt} />
        </span>
      </p>
    )}
    {...{ id, tab, parts }}
  />
);
