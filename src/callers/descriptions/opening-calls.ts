// Reports to operations which calls their session waits for.
import type { ObservedOperation } from '../../observer.ts';
import type { CallOptions } from '../../upstream/http/action-client.ts';
import { type CallEnd, type CallMeter, type CallPlace, IGNORED_END } from '../../upstream/http/call-meter.ts';

/** An operation that waits for its session. */
export interface WaitingOperation {
  readonly observed: ObservedOperation;
  /** Adds a call that the session waits for from now on. Returns what is called at its end. */
  addOpeningCall(place: CallPlace): CallEnd;
}

/** A call under way. */
interface OpeningCall {
  readonly place: CallPlace;
  /** Called at its end: one for each operation that waits for it. */
  readonly ends: CallEnd[];
}

/** What is known of one caller. */
interface Opening {
  readonly operations: Set<WaitingOperation>;
  readonly calls: Set<OpeningCall>;
}

/**
 * The verifications of credentials and the descriptions that are fetched. All operations of a caller that arrive meanwhile wait for the
 * same calls, so each of them gets all calls.
 */
export class OpeningCalls {
  /** By the caller's key. */
  readonly #openings = new Map<string, Opening>();

  /** Adds to an operation the calls for its caller that are under way, and those that follow. Returns what ends that. */
  watch(key: string, operation: WaitingOperation): () => void {
    const opening = this.#openingFor(key);
    opening.operations.add(operation);
    for (const { place, ends } of opening.calls) ends.push(operation.addOpeningCall(place));
    return () => {
      opening.operations.delete(operation);
      this.#removeIfIdle(key, opening);
    };
  }

  /** The options of a call for a caller. Its cause is the operation that has waited longest; null where none waits. */
  optionsFor(key: string): Required<Pick<CallOptions, 'cause' | 'meter'>> {
    const [first] = this.#openings.get(key)?.operations ?? [];
    return { cause: first?.observed ?? null, meter: this.#meterFor(key) };
  }

  #meterFor(key: string): CallMeter {
    return {
      sent: (place) => {
        const opening = this.#openingFor(key);
        const ends = [...opening.operations].map((operation) => operation.addOpeningCall(place));
        const call = { place, ends };
        opening.calls.add(call);
        return (status) => {
          for (const end of ends) end(status);
          opening.calls.delete(call);
          this.#removeIfIdle(key, opening);
        };
      },
      shared: () => IGNORED_END,
      received: () => undefined,
    };
  }

  #openingFor(key: string): Opening {
    const opening = this.#openings.get(key) ?? { operations: new Set(), calls: new Set() };
    this.#openings.set(key, opening);
    return opening;
  }

  #removeIfIdle(key: string, { operations, calls }: Opening): void {
    if (operations.size === 0 && calls.size === 0) this.#openings.delete(key);
  }
}
