// Makes one observer of several.
import type { Observer } from './observer.ts';

/** Makes an observer that passes everything on. It has only the methods that one of the given observers has as its own properties. */
export function combineObservers(observers: readonly Observer[]): Observer {
  const names = new Set(observers.flatMap((observer) => Object.keys(observer) as (keyof Observer)[]));
  const methods = [...names].map((name) => {
    const all = observers.flatMap((observer) => observer[name] ?? []) as readonly Method[];
    return [name, all.length > 1 ? callAll(all) : all[0]];
  });
  return Object.fromEntries(methods);
}

/** A method of any name. Its argument is that of all others with the name. */
type Method = (begun: never) => ((end: never) => void) | undefined;

const callAll =
  (methods: readonly Method[]): Method =>
  (begun) => {
    const ends: ((end: never) => void)[] = [];
    for (const method of methods) {
      const end = method(begun);
      if (end !== undefined) ends.push(end);
    }
    if (ends.length < 2) return ends[0];
    return (end) => {
      for (const one of ends) one(end);
    };
  };
