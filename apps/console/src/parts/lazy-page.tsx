import { useEffect, useState, type ComponentType } from 'react';
import { loadTwice } from './page-code.js';
import { Loading } from './states.js';

interface Loaded<P> {
  readonly Page?: ComponentType<P> | undefined;
  readonly error?: unknown;
}

/**
 * A page whose scripts are read when it is opened. Without Suspense, which holds back what has arrived for 300 ms. Where they do not come, it fails, and reads
 * them again when it is shown the next time.
 */
export function lazyPage<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let known: ComponentType<P> | undefined;
  return function LazyPage(props: P) {
    const [{ Page, error }, setLoaded] = useState<Loaded<P>>({ Page: known });
    useEffect(() => {
      let isShown = true;
      const show = (loaded: Loaded<P>): void => {
        known = loaded.Page ?? known;
        if (isShown) setLoaded(loaded);
      };
      if (known === undefined)
        void loadTwice(load).then(
          loaded => show({ Page: loaded }),
          (reason: unknown) => show({ error: reason }),
        );
      return () => {
        isShown = false;
      };
    }, []);
    if (error !== undefined) throw error;
    return Page ? <Page {...props} /> : <Loading />;
  };
}
