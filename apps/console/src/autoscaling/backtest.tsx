import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { sent } from '../api/any-path.js';
import type { Backtest as Answer } from '../api/types.js';
import { StepChart } from '../charts/step-chart.js';
import { ErrorState } from '../parts/states.js';
import { jsonOf } from '../parts/json.js';

type Figures = Answer['actual'];

const hours = (seconds: number | null): string =>
  seconds === null ? 'never asked' : seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 6) / 10} min`;

function Row({ title, figures }: { readonly title: string; readonly figures: Figures }) {
  return (
    <tr>
      <th scope="row">{title}</th>
      <td>{figures.changes}</td>
      <td>{figures.reversals}</td>
      <td>{figures.memberHours.toFixed(2)}</td>
      <td>{hours(figures.unmetSeconds)}</td>
      <td>{hours(figures.saturatedSeconds)}</td>
    </tr>
  );
}

function Result({ answer }: { readonly answer: Answer }) {
  const points = ({ timeline }: Pick<Figures, 'timeline'>) =>
    timeline.map(({ at, desired }) => ({ at: Date.parse(at), value: desired }));
  const [actual, would] = [points(answer.actual), points(answer)];
  const times = [...actual, ...would].map(({ at }) => at);
  return (
    <>
      {times.length > 0 ? (
        <StepChart
          label="The number of members over time: what it was, and what it would have been"
          from={Math.min(...times)}
          to={Math.max(Math.max(...times), Date.now())}
          lines={[
            { title: 'what it was', style: 'third', points: actual },
            { title: 'what it would have been', style: 'first', points: would },
          ]}
        />
      ) : null}
      <div className="wide" tabIndex={0} role="group" aria-label="Figures">
        <table className="scores">
          <thead>
            <tr>
              {['', 'Changes', 'Reversals', 'Member hours', 'Too few', 'At their limit'].map(title => (
                <th scope="col" key={title}>
                  {title === '' ? <span className="only-read">Run</span> : title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Row title="as it was" figures={answer.actual} />
            <Row title="with these settings" figures={answer} />
          </tbody>
        </table>
      </div>
      <p className="dim note">The load of {Math.round(answer.coverage * 100)} % of the time is known.</p>
    </>
  );
}

interface BacktestProps {
  readonly path: string;
  /** What the form begins with. */
  readonly settings: unknown;
}

/** Repeats the last day with other settings, and changes nothing. */
export function Backtest({ path, settings }: BacktestProps) {
  const [text, setText] = useState(JSON.stringify(settings, null, 2));
  const [answer, setAnswer] = useState<Answer>();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const body = jsonOf(text);
  const run = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    await sent<Answer>({ method: 'post', path, body: body.value }).then(setAnswer, (refusal: unknown) =>
      setError(refusal as Error),
    );
    setBusy(false);
  };
  return (
    <section className="panel" aria-labelledby="backtest">
      <h2 id="backtest">What other settings would have done</h2>
      <form
        onSubmit={event => {
          event.preventDefault();
          void run();
        }}
      >
        <Textarea
          label="Settings as JSON"
          autosize
          minRows={3}
          maxRows={14}
          className="json"
          value={text}
          error={body.error}
          onChange={event => setText(event.currentTarget.value)}
        />
        <div className="form-end">
          <Button type="submit" variant="default" loading={isBusy} disabled={body.error !== undefined}>
            Repeat the last day
          </Button>
        </div>
      </form>
      {error ? <ErrorState error={error} /> : null}
      {answer ? <Result answer={answer} /> : null}
    </section>
  );
}
