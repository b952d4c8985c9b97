import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';

const TYPING_MS = 200;

/** A field for the beginning of a name, which the server looks for when the typing rests. */
export function Filter({
  value,
  onChange,
  label,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label: string;
}) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => onChange(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextInput
      data-filter
      className="filter"
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={event => setText(event.currentTarget.value)}
      onKeyDown={event => {
        if (event.key === 'Escape') event.currentTarget.blur();
      }}
    />
  );
}

interface ChipsProps {
  readonly numbers: Readonly<Record<string, number>>;
  /** The statuses there can be; default: those that have a number. */
  readonly statuses?: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Statuses with their numbers, of which several can be chosen. */
export function StatusChips({ numbers, statuses = Object.keys(numbers).sort(), chosen, onChange }: ChipsProps) {
  const shown = [...new Set([...statuses, ...chosen])];
  return (
    <div className="chips" role="group" aria-label="Filter by status">
      {shown.map(status => {
        const isOn = chosen.includes(status);
        const next = isOn ? chosen.filter(one => one !== status) : [...chosen, status];
        return (
          <button key={status} type="button" aria-pressed={isOn} onClick={() => onChange(next)}>
            {status.toLowerCase()} {numbers[status]?.toLocaleString('en')}
          </button>
        );
      })}
    </div>
  );
}
