// A mutation with a key: what identifies it, and whether its writes have begun.
import type { Requester } from '../../callers/session.ts';
import type { WriteGuard } from '../../loaders/write-guard.ts';
import type { OperationRequest } from '../operation-request.ts';

/** What identifies a mutation that may be sent again. */
export interface RetryIdentity {
  /** Stands for the key and its caller. It contains secrets. */
  readonly name: string;
  /** Hash of the document, the operation's name, the variables and `onError`. */
  readonly fingerprint: string;
  /** Stands for the caller. */
  readonly caller: string;
  readonly isAnonymous: boolean;
}

/** A mutation with a key. It guards its own writes. */
export class Retry implements WriteGuard {
  readonly identity: RetryIdentity;
  /** What it is executed for: it goes on when its client leaves, and its result comes in one part. */
  readonly request: OperationRequest;
  readonly requester: Requester;
  /** Whether a write has had, or may have had, an effect, or the API has refused it. */
  hasOutcome = false;
  hasIntent = false;
  /** Null before the first write. */
  #intent: Promise<void> | null = null;
  readonly #recordIntent: (retry: Retry) => Promise<void>;

  /** @param recordIntent Records that a write begins. Rejects when that cannot be recorded. */
  constructor(
    identity: RetryIdentity,
    { requester, report, readSent }: OperationRequest,
    recordIntent: (retry: Retry) => Promise<void>,
  ) {
    this.identity = identity;
    this.requester = requester;
    this.#recordIntent = recordIntent;
    const { header, address, requestId } = requester;
    this.request = {
      requester: { header, address, requestId, leaving: undefined, signal: undefined },
      waitingSize: null,
      readSent,
      report,
      acceptedParts: null,
      liveAs: 'result',
      admit: () => undefined,
    };
  }

  async begin(): ReturnType<WriteGuard['begin']> {
    this.#intent ??= this.#recordIntent(this);
    await this.#intent;
    this.hasIntent = true;
    return ({ outcome }) => {
      this.hasOutcome ||= outcome !== 'not_sent';
    };
  }
}
