import { useRef } from 'react';
import { capitalised, wordsOf } from '../parts/words.js';
import { Choices } from './choices.js';
import { fieldError } from './field-error.js';
import { initialOf, type Schema } from './json-schema.js';
import { PairsField } from './pairs-field.js';
import { isScalar, SchemaField } from './schema-field.js';

type Members = Readonly<Record<string, unknown>>;

interface SchemaFieldsProps {
  readonly schema: Schema;
  readonly value: Members;
  readonly change: (value: Members) => void;
  /** Where the value is in the body of the request. */
  readonly pointer: string;
  readonly error: Error | undefined;
}

interface MemberProps extends Omit<SchemaFieldsProps, 'value' | 'change'> {
  readonly name: string;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  readonly isRequired: boolean;
}

/** After a press of a button that goes away or makes fields, the focus is where the work continues. */
function useFocusAfter() {
  const box = useRef<HTMLDivElement>(null);
  const focus = (selector: string): void => {
    requestAnimationFrame(() => {
      const found = box.current?.querySelectorAll<HTMLElement>(selector);
      found?.[found.length - 1]?.focus();
    });
  };
  return [box, focus] as const;
}

const FIRST_FIELDS = 'fieldset > .fields > :first-child input, fieldset > fieldset.choices input';

/** An object that can be absent: a button adds it. */
function ObjectMember({ name, schema, value, change, isRequired, pointer, error }: MemberProps) {
  const [box, focus] = useFocusAfter();
  const words = wordsOf(name);
  return (
    <div ref={box} className="member">
      {value === undefined ? (
        <p>
          <button
            type="button"
            className="quiet add"
            onClick={() => {
              change(initialOf(schema));
              focus(FIRST_FIELDS);
            }}
          >
            Set {words}
          </button>{' '}
          <span className="dim">the default holds</span>
        </p>
      ) : (
        <fieldset>
          <legend>
            {capitalised(words)}{' '}
            {isRequired ? null : (
              <button
                type="button"
                className="quiet"
                aria-label={`Remove ${words}`}
                onClick={() => {
                  change(undefined);
                  focus('.add');
                }}
              >
                Remove
              </button>
            )}
          </legend>
          <SchemaFields value={value as Members} {...{ schema, change, pointer, error }} />
        </fieldset>
      )}
    </div>
  );
}

/** A list of objects, each in a frame of its own. */
function ListMember({ name, schema, value, change, pointer, error }: MemberProps) {
  const [box, focus] = useFocusAfter();
  const items = (Array.isArray(value) ? value : []) as readonly Members[];
  const { items: each = {}, maxItems = Infinity } = schema;
  const one = wordsOf(name).replace(/s$/, '');
  const set = (next: readonly Members[]): void => change(next.length === 0 ? undefined : next);
  return (
    <div ref={box} className="member">
      {items.map((item, index) => (
        <fieldset key={index}>
          <legend>
            {capitalised(one)} {index + 1}{' '}
            <button
              type="button"
              className="quiet"
              aria-label={`Remove ${one} ${index + 1}`}
              onClick={() => {
                set(items.filter((_, other) => other !== index));
                focus('.add');
              }}
            >
              Remove
            </button>
          </legend>
          <SchemaFields
            schema={each}
            value={item}
            change={next => set(items.map((old, other) => (other === index ? next : old)))}
            pointer={`${pointer}/${index}`}
            error={error}
          />
        </fieldset>
      ))}
      <p>
        <button
          type="button"
          className="quiet add"
          disabled={items.length >= maxItems}
          onClick={() => {
            set([...items, initialOf(each) as Members]);
            focus(FIRST_FIELDS);
          }}
        >
          Add {one}
        </button>
      </p>
      {fieldError(error, pointer) ? <p className="bad">{fieldError(error, pointer)}</p> : null}
    </div>
  );
}

function Member(props: MemberProps) {
  const { name, schema, value, change, pointer } = props;
  const error = fieldError(props.error, pointer);
  if (schema.items?.enum) return <Choices choices={schema.items.enum} {...{ name, value, change, error }} />;
  if (schema.items) return <ListMember {...props} />;
  if (schema.properties) return <ObjectMember {...props} />;
  return <PairsField {...{ name, value, change, error }} />;
}

/** The fields of an object as its schema has them. What is left empty is left out of the value. */
export function SchemaFields({ schema, value, change, pointer, error }: SchemaFieldsProps) {
  const members = Object.entries(schema.properties ?? {});
  const partsOf = (name: string, own: Schema) => ({
    name,
    schema: own,
    isRequired: schema.required?.includes(name) ?? false,
    value: value[name],
    change: (next: unknown) => {
      const { [name]: _before, ...others } = value;
      change(next === undefined ? others : { ...value, [name]: next });
    },
  });
  const scalars = members.filter(([, own]) => isScalar(own));
  return (
    <>
      {scalars.length === 0 ? null : (
        <div className="fields top">
          {scalars.map(([name, own]) => (
            <SchemaField key={name} {...partsOf(name, own)} error={fieldError(error, `${pointer}/${name}`)} />
          ))}
        </div>
      )}
      {members
        .filter(([, own]) => !isScalar(own))
        .map(([name, own]) => (
          <Member key={name} {...partsOf(name, own)} pointer={`${pointer}/${name}`} error={error} />
        ))}
    </>
  );
}
