import { NumberInput, Select, TextInput } from '@mantine/core';
import { capitalised, wordsOf } from '../parts/words.js';
import { fieldOrder } from './field-order.js';
import { boundsOf, type Schema } from './json-schema.js';

export interface FieldProps {
  /** The name of the member. */
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly value: unknown;
  /** undefined: the member is left out. */
  readonly change: (value: unknown) => void;
  readonly error: string | undefined;
}

const typesOf = ({ type = [] }: Schema): readonly string[] => (typeof type === 'string' ? [type] : type);

/** Whether one field holds the value. */
export const isScalar = (schema: Schema): boolean =>
  schema.enum !== undefined || typesOf(schema).every(type => type !== 'object' && type !== 'array');

/** `25` is a number where the schema has numbers; `25%` stays a text. */
const numberOrText = (text: string): unknown => (/^\d+$/.test(text) ? Number(text) : text);

/** A field for a text, a number, a choice, or yes and no. Where it is empty, the default of the product holds. */
export function SchemaField({ name, schema, isRequired, value, change, error }: FieldProps) {
  const types = typesOf(schema);
  const common = {
    label: capitalised(wordsOf(name)),
    description: schema.description ?? boundsOf(schema),
    required: isRequired,
    error,
    inputWrapperOrder: fieldOrder,
  };
  const placeholder = isRequired ? undefined : 'default';
  if (schema.enum || types[0] === 'boolean') {
    const isYesNo = !schema.enum;
    const shown = isYesNo && typeof value === 'boolean' ? (value ? 'yes' : 'no') : value;
    return (
      <Select
        data={schema.enum?.map(one => ({ value: one, label: wordsOf(one) })) ?? ['yes', 'no']}
        value={typeof shown === 'string' ? shown : null}
        clearable={!isRequired}
        allowDeselect={!isRequired}
        onChange={next => change(next === null ? undefined : isYesNo ? next === 'yes' : next)}
        clearButtonProps={{ 'aria-label': `Clear ${wordsOf(name)}`, 'aria-hidden': false, tabIndex: 0 }}
        {...common}
        placeholder={placeholder}
      />
    );
  }
  if (types.includes('string'))
    return (
      <TextInput
        value={value === undefined ? '' : String(value)}
        onChange={event => {
          const text = event.currentTarget.value;
          if (text === '' && !isRequired) change(undefined);
          else change(types.length > 1 ? numberOrText(text) : text);
        }}
        {...common}
        placeholder={placeholder}
      />
    );
  return (
    <NumberInput
      value={typeof value === 'number' ? value : ''}
      allowDecimal={types[0] === 'number'}
      clampBehavior="none"
      onChange={next => change(next === '' ? undefined : Number(next))}
      {...(schema.minimum === undefined ? {} : { min: schema.minimum })}
      {...(schema.maximum === undefined ? {} : { max: schema.maximum })}
      {...common}
      placeholder={placeholder}
    />
  );
}
