import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { fieldOrder } from './field-order.js';
import { capitalised, wordsOf } from '../parts/words.js';

type Pairs = Readonly<Record<string, string>>;

interface PairsFieldProps {
  readonly name: string;
  readonly value: unknown;
  readonly change: (value: Pairs | undefined) => void;
  readonly error: string | undefined;
}

const textOf = (pairs: Pairs): string =>
  Object.entries(pairs)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');

/** Reads `app=web, tier=front`. A part without `=` has an empty value. */
const pairsOf = (text: string): Pairs =>
  Object.fromEntries(
    text
      .split(',')
      .map(part => part.trim())
      .filter(Boolean)
      .map(part => {
        const [key = '', ...rest] = part.split('=');
        return [key.trim(), rest.join('=').trim()];
      }),
  );

/** Names and texts, such as labels. */
export function PairsField({ name, value, change, error }: PairsFieldProps) {
  const [text, setText] = useState(textOf((value ?? {}) as Pairs));
  useEffect(() => {
    // another value than the typed one: the item before was removed, or JSON was edited
    if (JSON.stringify(pairsOf(text)) !== JSON.stringify(value ?? {})) setText(textOf((value ?? {}) as Pairs));
  }, [value]);
  return (
    <TextInput
      label={capitalised(wordsOf(name))}
      description="such as app=web, tier=front"
      inputWrapperOrder={fieldOrder}
      value={text}
      error={error}
      onChange={event => {
        setText(event.currentTarget.value);
        const pairs = pairsOf(event.currentTarget.value);
        change(Object.keys(pairs).length === 0 ? undefined : pairs);
      }}
    />
  );
}
