// The floods of the bench of fairness in a light form: costly work over one WebSocket, or of many new users, at once.
import { RefusedSocketError } from '../fairness/bench-socket.ts';
import type { DocumentKind } from '../fairness/documents.ts';
import { floodHttp } from '../fairness/http-flood.ts';
import type { SocketFlood } from '../fairness/orders.ts';
import { floodSocket } from '../fairness/socket-flood.ts';
import { countUnanswered, Tally } from '../fairness/tally.ts';
import { type Attack, type Client, type Load, randomInt } from './load.ts';

/** Milliseconds for which results are left unread, and for which a flood waits for its answers. */
const UNREAD = 2_000;
const LONGEST_WAIT = 50_000;

/** Documents of all floods differ, so that nothing kept of one serves another. */
const DOCUMENTS = 1_000_000_000;

const NEW_USERS = 10;
const READS = 10;

/** Floods by name. Each is carried out once. */
export const FLOODS: Readonly<Record<string, Attack>> = {
  'pairs of Subscribe and Complete': overSocket('name', 1_000, { completes: true }),
  'invalid documents': overSocket('invalid', 1_000),
  introspections: overSocket('introspection', 10),
  'unread introspections': overSocket('introspection', 10, { isUnread: true }),
  'long documents': (load, client) =>
    run(load, client, (first, tally) =>
      floodHttp(
        load,
        { ...client, over: 'HTTP', what: 'costly', connections: 5, operations: 10 },
        first,
        endOf(0),
        tally,
      ),
    ),
};

function overSocket(what: DocumentKind, operations: number, more: Partial<SocketFlood> = {}): Attack {
  return (load, client) =>
    run(load, client, (first, tally) =>
      floodSocket(
        load,
        { ...client, over: 'WebSocket', what, operations, ...more },
        first,
        endOf(more.isUnread === true ? UNREAD : 0),
        tally,
      ),
    );
}

const endOf = (duration: number) => {
  const sendUntil = performance.now() + duration;
  return { sendUntil, waitUntil: sendUntil + LONGEST_WAIT };
};

/** Runs a flood, and counts what becomes of its operations: each is answered or refused. */
async function run(
  load: Load,
  { role }: Client,
  flood: (first: number, tally: Tally) => Promise<void>,
): Promise<void> {
  const tally = new Tally();
  try {
    await flood(randomInt(0, DOCUMENTS), tally);
  } catch (error) {
    if (!(error instanceof RefusedSocketError)) throw error;
    load.count(role, `floods closed with ${error.code}`);
  }
  const { answered, refused } = tally.outcomes;
  load.count(role, 'operations of floods answered', answered);
  for (const [code, count] of Object.entries(refused))
    load.count(role, `operations of floods with ${code}`, count);
  const unanswered = countUnanswered(tally.outcomes);
  if (unanswered > 0) load.noteUnexplained(role, 'flood without answers', `${unanswered} operations`);
}

/** Reads of users whom the server does not know yet, all from one address at once. */
export const createNewUsersAttack =
  (signIn: () => Promise<string>): Attack =>
  async (load, { role, address }) => {
    const tokens = await Promise.all(Array.from({ length: NEW_USERS }, signIn));
    const reads = tokens.flatMap((token) =>
      Array.from({ length: READS }, () => load.ask({ role, address, token }, '{ userCurrent { id } }')),
    );
    for (const { errors } of await Promise.all(reads))
      load.count(role, `reads of new users: ${errors[0]?.extensions?.code ?? 'answered'}`);
  };
