import { NumberInput, Select, TextInput } from '@mantine/core';
import { ZonesField, type Zone } from './zones-field.js';
import type { Body } from './change-page.js';

interface Flavor {
  readonly cpus?: number;
  readonly memoryMb?: number;
}

export interface GroupBody extends Body {
  readonly name?: string;
  readonly role?: string;
  readonly count?: number;
  readonly flavor?: Flavor;
  readonly zones?: readonly Zone[];
}

export const aGroup: GroupBody = { name: 'workers', role: 'worker', count: 3, flavor: { cpus: 2, memoryMb: 4096 } };

const numberOf = (value: number | string): number | undefined => (value === '' ? undefined : Number(value));

interface SizeProps {
  readonly flavor: Flavor;
  readonly change: (changes: Flavor) => void;
  readonly errorAt: (pointer: string) => string | undefined;
}

/** How large each node is. */
function Size({ flavor, change, errorAt }: SizeProps) {
  return (
    <>
      <NumberInput
        label="CPUs of each"
        min={0.1}
        clampBehavior="none"
        value={flavor.cpus ?? ''}
        error={errorAt('/flavor/cpus')}
        onChange={value => change({ cpus: numberOf(value) })}
      />
      <NumberInput
        label="Memory of each, in MB"
        min={1}
        clampBehavior="none"
        allowDecimal={false}
        value={flavor.memoryMb ?? ''}
        error={errorAt('/flavor/memoryMb')}
        onChange={value => change({ memoryMb: numberOf(value) })}
      />
    </>
  );
}

/** What a node group is made of. */
export function GroupFields({
  group,
  change,
  errorAt,
}: {
  readonly group: GroupBody;
  readonly change: (changes: GroupBody) => void;
  /** What the API refused at a pointer within the group. */
  readonly errorAt: (pointer: string) => string | undefined;
}) {
  const { name = '', role = 'worker', count, flavor = {}, zones } = group;
  return (
    <div className="fields">
      <TextInput
        label="Name of the group"
        required
        value={name}
        error={errorAt('/name')}
        onChange={event => change({ name: event.currentTarget.value })}
      />
      <Select
        label="Role"
        data={['worker', 'manager']}
        value={role}
        allowDeselect={false}
        onChange={value => change({ role: value ?? 'worker' })}
      />
      <NumberInput
        label="Nodes"
        min={0}
        max={10_000}
        clampBehavior="none"
        allowDecimal={false}
        value={count ?? ''}
        error={errorAt('/count')}
        onChange={value => change({ count: numberOf(value) })}
      />
      <Size {...{ flavor, errorAt }} change={changes => change({ flavor: { ...flavor, ...changes } })} />
      <ZonesField
        zones={zones ?? []}
        error={errorAt('/zones') ?? zones?.map((_, index) => errorAt(`/zones/${index}`)).find(Boolean)}
        onChange={named => change({ zones: named })}
      />
    </div>
  );
}
