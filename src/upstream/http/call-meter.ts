/** How calls of the management API are counted for the operations that they serve. */
import { OptiongraphError } from '../errors/optiongraph-error.ts';

/** Where a call goes. Names only, never a value. */
export interface CallPlace {
  /** Scope of the action, e.g. `shelf.book#index`. */
  readonly action: string;
  /** Template of its path. */
  readonly path: string;
}

/** Counts the calls that serve one operation. */
export interface CallMeter {
  /**
   * Counts a call that has been sent.
   * @returns Takes the HTTP status when the call has ended; null when no answer arrived.
   */
  sent(place: CallPlace): (status: number | null) => void;
  /** Counts a call that was sent for another operation and serves this one too. */
  shared(): void;
}

/** Makes a call and counts it from the moment it is sent; a call that fails before is not counted. */
export async function metered<R extends { readonly status: number }>(
  meter: CallMeter | undefined,
  place: CallPlace,
  send: (onSent: () => void) => Promise<R>,
): Promise<R> {
  let end: ((status: number | null) => void) | undefined;
  let status: number | null = null;
  try {
    const result = await send(() => {
      end ??= meter?.sent(place);
    });
    status = result.status;
    return result;
  } catch (error) {
    if (error instanceof OptiongraphError) status = error.status ?? null;
    throw error;
  } finally {
    end?.(status);
  }
}

/** A meter for a call that serves several: the call is counted for the first of them, and as shared for the others. */
export function sharedMeter(meters: () => Iterable<CallMeter | null>): CallMeter {
  return {
    sent(place) {
      const [first, ...others] = meters();
      for (const other of others) other?.shared();
      return first?.sent(place) ?? (() => undefined);
    },
    shared() {
      for (const meter of meters()) meter?.shared();
    },
  };
}
