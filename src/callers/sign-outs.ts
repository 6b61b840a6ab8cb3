// Makes all replicas forget callers who sign out.
import type { Channel, Replicas } from '../sharing/replicas.ts';
import { type Credential, createCredential } from '../upstream/http/caller.ts';
import { isObject } from '../upstream/json.ts';
import type { Callers } from './callers.ts';

/** The sign-outs of callers. Each replica forgets a caller who signs out at one of them. */
export class SignOuts implements Disposable {
  readonly #callers: Callers;
  readonly #channel: Channel;

  /** @param api Distinguishes the API from others whose replicas share. */
  constructor(callers: Callers, replicas: Replicas, api: string) {
    this.#callers = callers;
    this.#channel = replicas.open(JSON.stringify(['sign-outs', api]), (message) => {
      const credential = isObject(message) ? readCredential(message) : null;
      if (credential !== null) callers.forget(credential);
    });
  }

  /** Forgets a caller whose credential has ended. */
  end(credential: Credential): void {
    const { kind, header, value } = credential;
    this.#callers.forget(credential);
    void this.#channel.send({ kind, header, value });
  }

  [Symbol.dispose](): void {
    this.#channel.close();
  }
}

function readCredential({ kind, header, value }: Readonly<Record<string, unknown>>): Credential | null {
  const isKnown = kind === 'basic' || kind === 'bearer' || kind === 'token' || kind === 'oauth2';
  return isKnown && typeof header === 'string' && typeof value === 'string'
    ? createCredential(kind, header, value)
    : null;
}
