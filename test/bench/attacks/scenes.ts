// The scenes of the bench of attacks: what clients send while light clients ask.
import type { DocumentKind } from './documents.ts';
import type { Flood, Habit, HttpFlood, LightClient, Sender, SocketFlood } from './orders.ts';

/** Signs in users at the API. */
export type SignIn = (users: number, habit?: Habit) => Promise<readonly string[]>;

/** One scene. */
export interface Scene {
  /** For `--only`. */
  readonly name: string;
  readonly title: string;
  /** What the light clients ask. Default: `{ __typename }`, which needs no call of the API. */
  readonly query?: string;
  /** Milliseconds between two requests of a light client. Default: 50. */
  readonly interval?: number;
  /** Light clients besides those that each scene has. Default: none. */
  readonly crowd?: (signIn: SignIn) => Promise<readonly LightClient[]>;
  /** What the others send. */
  readonly floods: (signIn: SignIn, isQuick: boolean) => Promise<readonly Flood[]>;
}

/** Milliseconds for which floods send, in full and in quick runs. */
export const DURATION = { full: 20_000, quick: 6_000 };

/** Milliseconds that a slow API takes for an answer: shortly before its time is over. */
const SLOW = { full: 29_500, quick: 10_000 };

/** Bytes of a long list: shortly below the limit of a response. */
const LONG_LIST = 15_000_000;

/** A call of the API. */
const READ = '{ userCurrent { id } }';

const CROWD = 100;
/** Milliseconds. */
const CROWD_INTERVAL = 500;

/** The address of the nth attacker. */
export const attackerAddress = (n: number): string => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;

const none = async (): Promise<readonly Flood[]> => [];

const socket = (
  sender: Sender,
  what: DocumentKind,
  operations: number,
  more: Partial<SocketFlood> = {},
): SocketFlood => ({ ...sender, over: 'WebSocket', what, operations, ...more });

const http = (sender: Sender, what: DocumentKind, connections: number, operations?: number): HttpFlood => ({
  ...sender,
  over: 'HTTP',
  what,
  connections,
  ...(operations === undefined ? {} : { operations }),
});

const anonymous: Sender = { address: attackerAddress(1), token: null };

async function user(signIn: SignIn, habit: Habit = {}): Promise<Sender> {
  const [token = null] = await signIn(1, habit);
  return { address: attackerAddress(1), token };
}

/** Users of one address. */
async function users(signIn: SignIn, count: number, habit: Habit): Promise<readonly Sender[]> {
  const tokens = await signIn(count, habit);
  return tokens.map((token) => ({ address: attackerAddress(1), token }));
}

/** All that one client can send, divided by the number of the clients. */
function everything(sender: Sender, attackers: number): readonly Flood[] {
  const size = (all: number): number => Math.ceil(all / attackers);
  return [
    socket(sender, 'name', size(10_000), { completes: true, repeats: true }),
    socket(sender, 'invalid', size(10_000), { repeats: true }),
    socket(sender, 'introspection', size(150), { repeats: true }),
    http(sender, 'introspection', size(10)),
    http(sender, 'costly', size(10)),
    http(sender, 'lists', size(10)),
  ];
}

/** A little of everything, by a client at an address that no other one has. The server compiles what it runs often. */
export async function warmUp(signIn: SignIn): Promise<readonly Flood[]> {
  const [token = null] = await signIn(1);
  return everything({ address: attackerAddress(65_535), token }, 20);
}

/** Attackers with an address each, every second one as a user. */
async function attack(signIn: SignIn, attackers: number): Promise<readonly Flood[]> {
  const tokens = await signIn(attackers);
  return tokens.flatMap((token, index) =>
    everything({ address: attackerAddress(index + 1), token: index % 2 === 0 ? token : null }, attackers),
  );
}

/** The scenes, in the order in which they run. */
export const SCENES: readonly Scene[] = [
  { name: 'idle', title: 'nobody else', floods: none },
  {
    name: 'user-pairs',
    title: '10,000 pairs of Subscribe and Complete on one WebSocket of a user',
    floods: async (signIn) => [socket(await user(signIn), 'name', 10_000, { completes: true })],
  },
  {
    name: 'introspections',
    title: '150 introspections of ten aliases on one anonymous WebSocket',
    floods: async () => [socket(anonymous, 'introspection', 150)],
  },
  {
    name: 'unread',
    title: 'the same, whose results are not read',
    floods: async () => [socket(anonymous, 'introspection', 150, { isUnread: true })],
  },
  {
    name: 'documents',
    title: 'ten connections with costly documents, of one anonymous address',
    floods: async () => [http(anonymous, 'costly', 10)],
  },
  {
    name: 'long-lists',
    title: '40 queries of one user whose lists the API answers with 15 MB',
    floods: async (signIn) => [http(await user(signIn, { listSize: LONG_LIST }), 'list', 40, 40)],
  },
  {
    name: 'new-tokens',
    title: 'ten new tokens with 20 reads each, which the API answers after 29.5 s',
    query: READ,
    async floods(signIn, isQuick) {
      const delay = isQuick ? SLOW.quick : SLOW.full;
      const habit = { descriptionDelay: delay, readDelay: delay };
      return (await users(signIn, 10, habit)).map((sender) => http(sender, 'read', 20, 20));
    },
  },
  {
    name: '10-attackers',
    title: 'operations of each kind by ten clients',
    floods: (signIn) => attack(signIn, 10),
  },
  {
    name: 'hundred',
    title: 'a hundred light clients and one heavy one',
    async crowd(signIn) {
      const tokens = await signIn(CROWD);
      return tokens.map((token, index) => ({
        group: 'hundred',
        address: attackerAddress(1_000 + index),
        token,
        over: index % 2 === 0 ? 'HTTP' : 'WebSocket',
        query: '{ __typename }',
        interval: CROWD_INTERVAL,
      }));
    },
    floods: (signIn) => attack(signIn, 1),
  },
  {
    name: 'crowd',
    title: 'an anonymous crowd of 100 addresses with lists, introspections and invalid documents',
    interval: CROWD_INTERVAL,
    floods: async () =>
      Array.from({ length: CROWD }, (_, index): Flood => {
        const sender = { address: attackerAddress(1 + index), token: null };
        if (index % 3 === 0) return http(sender, 'lists', 1);
        if (index % 3 === 1) return http(sender, 'introspection', 1);
        return socket(sender, 'invalid', 100, { repeats: true });
      }),
  },
];

/** The names of the scenes. */
export const SCENE_NAMES = SCENES.map(({ name }) => name);
