// Lets people scroll a part of the page without a mouse.
import { useEffect, useRef } from 'react';

/** Lets the tab key reach an element that is longer or wider than its place. */
export function useScrolling<Part extends HTMLElement>() {
  const part = useRef<Part>(null);
  useEffect(() => {
    const { current } = part;
    if (current === null) return undefined;
    // Reports at once too, when the place has its size.
    const observer = new ResizeObserver(() => {
      const { scrollHeight, clientHeight, scrollWidth, clientWidth } = current;
      current.tabIndex = scrollHeight > clientHeight || scrollWidth > clientWidth ? 0 : -1;
    });
    observer.observe(current);
    return () => observer.disconnect();
  });
  return part;
}
