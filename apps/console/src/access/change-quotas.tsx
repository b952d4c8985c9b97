import { NumberInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProjectQuotas } from '../api/types.js';
import { PlannedChange } from '../changes/planned-change.js';
import { usePlan } from '../changes/use-plan.js';
import { fieldOrder } from '../forms/field-order.js';
import { fieldError } from '../forms/field-error.js';
import { dimensions, titles, type Dimension } from './quota-titles.js';

type Limits = ProjectQuotas['limits'];

interface ChangeQuotasProps {
  readonly quotas: ProjectQuotas;
  readonly close: () => void;
}

const isSame = (a: Limits, b: Limits): boolean => dimensions.every(name => a[name] === b[name]);

/** The limits of a project as fields, with what is used beside each. An empty field is no limit. */
export function ChangeQuotas({ quotas: { projectId, limits: before, used }, close }: ChangeQuotasProps) {
  const cache = useQueryClient();
  const [limits, setLimits] = useState(before);
  const planning = usePlan(() => {
    void cache.invalidateQueries({ queryKey: ['below'] });
    close();
  });
  const set = (name: Dimension, limit: number | null): void => {
    planning.forget();
    setLimits({ ...limits, [name]: limit });
  };
  const path = `/v1/projects/${projectId}/quotas`;
  const request = isSame(limits, before) ? undefined : ({ method: 'put', path, body: { limits } } as const);
  const descriptionOf = (name: Dimension): string => {
    const [limit, now] = [limits[name], `${used[name].toLocaleString('en')} used`];
    return limit !== null && limit >= 0 && limit < used[name] ? `${now}: nothing more until less is used` : now;
  };
  return (
    <PlannedChange {...{ planning, request, close }}>
      <div className="fields top">
        {dimensions.map((name, index) => (
          <NumberInput
            key={name}
            label={titles[name]}
            description={descriptionOf(name)}
            inputWrapperOrder={fieldOrder}
            placeholder="without a limit"
            min={0}
            allowDecimal={false}
            clampBehavior="none"
            thousandSeparator=","
            data-autofocus={index === 0 || undefined}
            value={limits[name] ?? ''}
            error={fieldError(planning.error, `/limits/${name}`)}
            onChange={value => set(name, value === '' ? null : Number(value))}
          />
        ))}
      </div>
    </PlannedChange>
  );
}
