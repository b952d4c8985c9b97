import { capitalised, wordsOf } from '../parts/words.js';

interface ChoicesProps {
  readonly name: string;
  readonly choices: readonly string[];
  readonly value: unknown;
  readonly change: (value: readonly string[] | undefined) => void;
  readonly error: string | undefined;
}

/** Several of a few texts, in the order of the schema. None chosen: the default of the product holds. */
export function Choices({ name, choices, value, change, error }: ChoicesProps) {
  const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
  return (
    <fieldset className="choices">
      <legend>{capitalised(wordsOf(name))}</legend>
      {choices.map(choice => (
        <label key={choice}>
          <input
            type="checkbox"
            checked={chosen.includes(choice)}
            onChange={({ currentTarget: { checked } }) => {
              const next = choices.filter(one => (one === choice ? checked : chosen.includes(one)));
              change(next.length === 0 ? undefined : next);
            }}
          />{' '}
          {wordsOf(choice)}
        </label>
      ))}
      {chosen.length === 0 ? <span className="dim">default</span> : null}
      {error ? <p className="bad">{error}</p> : null}
    </fieldset>
  );
}
