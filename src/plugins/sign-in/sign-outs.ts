// Makes all replicas forget callers who sign out.

import type { Callers } from '../../callers/callers.ts';
import { credentialMessage, fromMessage, toMessage } from '../../callers/shared-reads.ts';
import { type Channel, openChannel, type Replicas } from '../../sharing/replicas.ts';
import type { Credential } from '../../upstream/http/caller.ts';

/** The sign-outs of callers. Each replica forgets a caller who signs out at one of them. */
export class SignOuts implements Disposable {
  readonly #callers: Callers;
  readonly #channel: Channel;

  /** @param api Distinguishes the API from others whose replicas share. */
  constructor(callers: Callers, replicas: Replicas, api: string) {
    this.#callers = callers;
    const name = JSON.stringify(['sign-outs', api]);
    this.#channel = openChannel(replicas, name, credentialMessage, (credential) =>
      callers.forget(fromMessage(credential)),
    );
  }

  /** Forgets a caller whose credential has ended. */
  end(credential: Credential): void {
    this.#callers.forget(credential);
    void this.#channel.send(toMessage(credential));
  }

  [Symbol.dispose](): void {
    this.#channel.close();
  }
}
