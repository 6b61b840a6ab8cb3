// Decides which answers may take more of a bounded memory: by network first, then by client.

/** Bytes that a client may hold for each byte that stays free: alone, two thirds of the memory. */
const CLIENT_SHARE = 2;
/** The same for an operation with short answers only, which does not wait for the long ones of its own client. */
const SHORT_SHARE = 4;
/** The same for a network, which may be an office or a proxy. */
const NETWORK_SHARE = 7;

/** What the answers of all clients, of one network, or of one client hold. */
export class MemoryShare {
  /** Bytes. */
  held = 0;
  /** Open rooms that have taken something or wait. */
  rooms = 0;
  /** Rooms with long answers. */
  long = 0;
  /** Number of the change since when it has as many rooms with long answers. */
  since = 0;
}

/** The share of a network, with those of its clients. */
export class NetworkMemoryShare extends MemoryShare {
  readonly clients = new Map<string, MemoryShare>();
}

/** The shares that a room counts for: of all, of its network and of its client. */
export type SharePath = readonly [all: MemoryShare, network: NetworkMemoryShare, client: MemoryShare];

/** Asks for bytes. */
export interface Claim {
  readonly size: number;
  readonly shares: SharePath;
  /** Whether its room has short answers only, this one included. */
  readonly isShort: boolean;
  /** Whether its room has no long answers yet, and this is to be the first. */
  readonly isNew: boolean;
}

/** Returns the bytes that a share holds. */
export type HeldBy = (share: MemoryShare) => number;

/** What the shares hold now. */
export const heldNow: HeldBy = ({ held }) => held;

/** Whether a claim may be granted. Each share may hold as much as remains free, in proportion (dynamic thresholds, as in network switches). */
export function fits({ size, shares, isShort }: Claim, limit: number, heldBy: HeldBy): boolean {
  const [all, network, client] = shares;
  const free = limit - heldBy(all) - size;
  return (
    free >= 0 &&
    heldBy(network) + size <= NETWORK_SHARE * free &&
    heldBy(client) + size <= (isShort ? SHORT_SHARE : CLIENT_SHARE) * free
  );
}

/** Whether a claim of short answers may be granted without a look at who holds memory: it leaves enough for the smallest share. */
export const fitsAlways = ([all]: SharePath, size: number, limit: number): boolean =>
  all.held + size <= SHORT_SHARE * (limit - all.held - size);

/**
 * Finds the waiting claim to grant next; null if none fits. Long answers take turns: those of networks and clients with fewest of
 * them are next, and of these who has waited longest. One that does not fit lets no other go first that would take what it waits for.
 */
export function findNext<C extends Claim>(waiting: Iterable<C>, limit: number, heldBy: HeldBy): C | null {
  const blocked = new Set<MemoryShare>();
  for (const claim of [...waiting].sort(compare)) {
    if (!claim.isShort && claim.shares.some((share) => blocked.has(share))) continue;
    if (fits(claim, limit, heldBy)) return claim;
    if (!claim.isShort) blocked.add(blockerOf(claim, limit, heldBy));
  }
  return null;
}

/** The smallest share whose own answers keep a claim from being granted. */
function blockerOf(claim: Claim, limit: number, heldBy: HeldBy): MemoryShare {
  const [all, network, client] = claim.shares;
  for (const share of [client, network]) {
    const own = heldBy(share);
    if (fits(claim, limit, (other) => Math.max(0, heldBy(other) - own))) return share;
  }
  return all;
}

/** Those that hold something already go first, because nobody else can use that before. */
function compare(a: Claim, b: Claim): number {
  const [, networkA, clientA] = a.shares;
  const [, networkB, clientB] = b.shares;
  return (
    Number(a.isNew) - Number(b.isNew) ||
    networkA.long - networkB.long ||
    networkA.since - networkB.since ||
    clientA.long - clientB.long ||
    clientA.since - clientB.since
  );
}
