import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import { loadTwice } from './page-code.js';

const failed = new Set<() => void>();

/** Pages that could not be loaded are tried again when they are shown the next time. */
export function tryFailedPagesAgain(): void {
  for (const tryAgain of failed) tryAgain();
  failed.clear();
}

/** A page whose scripts are read when it is opened. */
export function lazyPage<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const make = (): LazyExoticComponent<ComponentType<P>> =>
    lazy(async () => {
      try {
        return { default: await loadTwice(load) };
      } catch (error) {
        failed.add(() => (Page = make()));
        throw error;
      }
    });
  let Page = make();
  return function LazyPage(props: P) {
    return <Page {...props} />;
  };
}
