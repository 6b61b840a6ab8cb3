// Observes a facade, and keeps what it reports.
import type { Observer } from '../../src/telemetry/observer.ts';
import { recordOutput } from './secrecy.ts';

/** What an observer was told. */
type Told<K extends keyof Observer> = Parameters<NonNullable<Observer[K]>>[0];
/** How what began ended. */
type End<K extends keyof Observer> =
  NonNullable<Observer[K]> extends (begun: never) => ((end: infer E) => void) | undefined ? E : undefined;

/** One thing that a facade reported. */
export interface Reported<K extends keyof Observer> {
  readonly told: Told<K>;
  /** Undefined until the end. */
  end: End<K> | undefined;
  hasEnded: boolean;
}

/** An observer of one kind of reports, with its reports. */
export function observe<K extends keyof Observer>(
  name: K,
): { readonly observer: Observer; readonly reports: readonly Reported<K>[] } {
  const reports: Reported<K>[] = [];
  const begin = (told: Told<K>) => {
    const report: Reported<K> = { told, end: undefined, hasEnded: false };
    reports.push(report);
    return (end: End<K>) => {
      recordOutput('telemetry', JSON.stringify([told, end]));
      report.end = end;
      report.hasEnded = true;
    };
  };
  return { observer: { [name]: begin }, reports };
}
