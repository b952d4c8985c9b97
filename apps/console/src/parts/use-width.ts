import { useEffect, useRef, useState, type RefObject } from 'react';

/** The width of an element in pixels, as it changes. */
export function useWidth<T extends HTMLElement>(): readonly [box: RefObject<T | null>, width: number] {
  const box = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const watcher = new ResizeObserver(() => setWidth(element.clientWidth));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  return [box, width];
}
