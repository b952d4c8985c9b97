import { Component, type ReactNode } from 'react';
import { PageNotLoaded } from './page-code.js';

interface Props {
  /** The place that is shown; another one is tried afresh. */
  readonly place: string;
  readonly children: ReactNode;
}

interface State {
  readonly failed: Error | undefined;
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/**
 * Keeps the console when a page of it fails, or cannot be loaded because the connection was cut or the product was upgraded since the
 * console was opened. What is around the page stays usable.
 */
export class PageBoundary extends Component<Props, State> {
  override state: State = { failed: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { failed: asError(error) };
  }

  override componentDidUpdate({ place }: Props): void {
    if (place !== this.props.place && this.state.failed !== undefined) this.tryAgain();
  }

  private readonly tryAgain = (): void => {
    this.setState({ failed: undefined });
  };

  override render(): ReactNode {
    const { failed } = this.state;
    if (failed === undefined) return this.props.children;
    const isNotLoaded = failed instanceof PageNotLoaded;
    return (
      <section className="panel" role="alert">
        <h1 tabIndex={-1}>{isNotLoaded ? 'This page could not be loaded' : 'This page cannot be shown'}</h1>
        <p>{isNotLoaded ? failed.message : 'It failed in this browser. Nothing in the product depends on it.'}</p>
        {isNotLoaded ? null : <p className="dim">{failed.message}</p>}
        <p className="actions">
          <button type="button" className="primary" onClick={() => location.reload()}>
            Load the console again
          </button>
          <button type="button" className="quiet" onClick={this.tryAgain}>
            Try again
          </button>
        </p>
        <p className="dim">
          When it is loaded again, it asks for an API key that you signed in with, unless another page of the console is
          open.
        </p>
      </section>
    );
  }
}
