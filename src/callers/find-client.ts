// Finds out whose work a request is.
import { ANONYMOUS, type Client } from '../scheduling/client.ts';
import { readCredential } from '../upstream/http/caller.ts';
import { networkOf } from './client-address.ts';
import type { Requester, SessionSource } from './session.ts';

/** Finds out whose work a request is, before its session is open. Never throws. */
export function findClient(
  { header, address = '' }: Pick<Requester, 'header' | 'address'>,
  { callers, browsers }: Pick<SessionSource, 'callers' | 'browsers'>,
): Client {
  const network = networkOf(address);
  try {
    const credential = readCredential(header, callers.base.description.authentication);
    if (credential === null) return { network, key: browsers?.knownKey(header) ?? ANONYMOUS };
    return { network, key: callers.isKnown({ credential }) ? credential.key : ANONYMOUS };
  } catch {
    // The session cannot be opened.
    return { network, key: ANONYMOUS };
  }
}
