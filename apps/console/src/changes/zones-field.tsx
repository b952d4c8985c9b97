import { TextInput } from '@mantine/core';
import { useState } from 'react';

/** A zone by its name, or with its region. */
export type Zone = string | { readonly name: string; readonly region?: string };

interface ZonesFieldProps {
  readonly zones: readonly Zone[];
  readonly onChange: (zones: readonly Zone[] | undefined) => void;
  readonly error: string | undefined;
}

const nameOf = (zone: Zone): string => (typeof zone === 'string' ? zone : zone.name);

/** The zones of a text. A zone keeps its region, which the text does not have. */
function zonesOf(text: string, before: readonly Zone[]): readonly Zone[] {
  const known = new Map(before.map(zone => [nameOf(zone), zone]));
  const names = text.split(/[\s,;]+/).filter(Boolean);
  return names.map(name => known.get(name) ?? name);
}

function understood(zones: readonly Zone[]): string {
  if (zones.length === 0) return 'With spaces, commas or semicolons between them.';
  const count = zones.length === 1 ? '1 zone' : `${zones.length} zones`;
  return `${count}: ${zones.map(nameOf).join(', ')}`;
}

/** The zones over which nodes are spread, as words. It says which zones it has understood. */
export function ZonesField({ zones, onChange, error }: ZonesFieldProps) {
  const [text, setText] = useState(() => zones.map(nameOf).join(' '));
  return (
    <TextInput
      label="Zones"
      placeholder="a b c"
      description={understood(zones)}
      value={text}
      error={error}
      onChange={event => {
        setText(event.currentTarget.value);
        const named = zonesOf(event.currentTarget.value, zones);
        onChange(named.length === 0 ? undefined : named);
      }}
    />
  );
}
