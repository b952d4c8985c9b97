import { useState } from 'react';
import { Select } from '@mantine/core';
import { Link } from 'wouter';
import { useShortList } from '../api/lists.js';
import type { ContainerSet, Policy } from '../api/types.js';
import { Backtest } from '../autoscaling/backtest.js';
import { DetailPage, type Part } from '../parts/detail-page.js';
import { Empty } from '../parts/states.js';
import { Age } from '../parts/time.js';
import { ChangeButton } from '../changes/change-button.js';
import { wordsOf } from '../parts/words.js';
import { Attachments, useAttachments } from '../policies/attachments.js';
import { useMoment } from '../time/moment.js';
import { shell } from '../parts/shell-command.js';

function Properties({ policy: { properties } }: { readonly policy: Policy }) {
  return (
    <dl className="pairs panel">
      {Object.entries(properties).map(([name, value]) => (
        <div key={name}>
          <dt>{wordsOf(name)}</dt>
          <dd>
            <code className="wrap">{JSON.stringify(value)}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A policy of scaling can be tried on the last day of a set. */
function Trial({ policy }: { readonly policy: Policy }) {
  const sets = useShortList<ContainerSet>('/v1/container-sets', { limit: 100, sort: 'name' }, []);
  const names = sets.data?.items.map(({ name }) => name) ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const target = chosen ?? names[0];
  if (policy.type !== 'scaling') return <Empty title="Only policies of scaling can be tried on the past" />;
  if (target === undefined) return <Empty title="There is no container set to try it on" />;
  return (
    <>
      <Select
        label="Container set"
        data={names}
        value={target}
        onChange={setChosen}
        allowDeselect={false}
        maw="20rem"
        mb="md"
      />
      <Backtest
        key={target}
        path={`/v1/policies/${policy.id}/actions/backtest`}
        settings={{ target, properties: policy.properties }}
      />
    </>
  );
}

const parts: readonly Part<Policy>[] = [
  { name: 'properties', title: 'Properties', content: policy => <Properties policy={policy} /> },
  { name: 'attachments', title: 'Attached to', content: policy => <Attachments policy={policy} /> },
  { name: 'backtest', title: 'Backtest', content: policy => <Trial policy={policy} /> },
];

function Actions({ policy: { id, name } }: { readonly policy: Policy }) {
  const [at] = useMoment();
  const { data } = useAttachments(id);
  if (at !== undefined) return null;
  const count = data?.items.length ?? 0;
  const all = data?.nextCursor ? `more than ${count}` : count;
  return (
    <>
      <Link href={`/change/policy?id=${id}`} className="quiet" aria-label={`Change ${name}`}>
        Change
      </Link>
      <ChangeButton
        key={count === 0 ? 'delete' : 'detach'}
        label="Delete"
        title={`Delete ${name}`}
        request={{ method: 'delete', path: `/v1/policies/${id}`, ...(count === 0 ? {} : { query: { detach: true } }) }}
        command={shell`stave policies delete ${name} --plan`}
        then="/policies"
      >
        {count === 0 ? null : <p className="reason">It is detached from what it is attached to: {all} in all.</p>}
      </ChangeButton>
    </>
  );
}

/** A policy: what it says, where it is attached, and what happened to it. */
export const PolicyPage = ({ id, tab }: { readonly id: string; readonly tab: string | undefined }) => (
  <DetailPage<Policy>
    type="policy"
    within={['/policies', 'Policies']}
    facts={({ type, version, updatedAt }) => (
      <p className="facts">
        <span>{type}</span>
        <span className="dim">version {version}</span>
        <span className="dim">
          changed <Age time={updatedAt} />
        </span>
      </p>
    )}
    actions={policy => <Actions policy={policy} />}
    {...{ id, tab, parts }}
  />
);
