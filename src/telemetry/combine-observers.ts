// Makes one observer of several.
import type { Begin, Notice, Observer } from './observer.ts';

/** Makes an observer that passes everything on. It has only the methods that one of the given observers has. */
export function combineObservers(observers: readonly Observer[]): Observer {
  const of = <K extends keyof Observer>(name: K): readonly NonNullable<Observer[K]>[] =>
    observers.flatMap((observer) => observer[name] ?? []);
  return {
    operation: combineBegins(of('operation')),
    step: combineBegins(of('step')),
    upstreamCall: combineBegins(of('upstreamCall')),
    invalidResponse: combineNotices(of('invalidResponse')),
    queueWait: combineBegins(of('queueWait')),
    batch: combineBegins(of('batch')),
    includes: combineNotices(of('includes')),
    actionWait: combineBegins(of('actionWait')),
    poller: combineBegins(of('poller')),
    subscription: combineBegins(of('subscription')),
    socket: combineBegins(of('socket')),
    assembly: combineBegins(of('assembly')),
    schemaChange: combineNotices(of('schemaChange')),
    breaker: combineNotices(of('breaker')),
    sharing: combineNotices(of('sharing')),
    limit: combineNotices(of('limit')),
    shutdown: combineNotices(of('shutdown')),
  };
}

function combineBegins<B, E>(begins: readonly Begin<B, E>[]): Begin<B, E> | undefined {
  if (begins.length < 2) return begins[0];
  return (begun) => {
    const ends = begins.map((begin) => begin(begun));
    return (end) => {
      for (const one of ends) one?.(end);
    };
  };
}

function combineNotices<T>(notices: readonly Notice<T>[]): Notice<T> | undefined {
  if (notices.length < 2) return notices[0];
  return (event) => {
    for (const notice of notices) notice(event);
  };
}
