// The messages between the bench of attacks and its processes.
import type { DocumentKind } from './documents.ts';

/** Who sends operations. */
export interface Sender {
  /** Its address, as a trusted proxy states it. */
  readonly address: string;
  /** Its session token; null for an anonymous client. */
  readonly token: string | null;
}

/** The server to which clients send. */
export interface Target {
  /** The GraphQL endpoint. */
  readonly url: string;
  /** The header of tokens. */
  readonly tokenHeader: string;
}

/** How the API answers to a token. */
export interface Habit {
  /** Milliseconds before each answer to OPTIONS. Default: 0. */
  readonly descriptionDelay?: number;
  /** Milliseconds before each other answer. Default: 0. */
  readonly readDelay?: number;
  /** Bytes of each list. Default: as many as its rows take. */
  readonly listSize?: number;
}

/** Asks the process of the API for new tokens, which it sends as `TokensReport`. */
export interface TokensOrder {
  readonly tokens: number;
  readonly habit: Habit;
}

export interface TokensReport {
  readonly tokens: readonly string[];
}

export type Transport = 'HTTP' | 'WebSocket';

/** A client that asks the same all the time, whether it has got its answers or not. */
export interface LightClient extends Sender {
  /** The name under which the figures of several clients are added. */
  readonly group: string;
  readonly over: Transport;
  readonly query: string;
  /** Milliseconds between two requests. */
  readonly interval: number;
}

/**
 * Orders for the process of the light clients: `start` has each of them answered once, which is reported by an empty array, and goes
 * on; `measure` begins to measure, and is answered at once; `stop` waits for what is under way, and is answered by the figures.
 */
export type LightOrder =
  | ({ readonly order: 'start'; readonly clients: readonly LightClient[] } & Target)
  | { readonly order: 'measure' }
  | { readonly order: 'stop' };

/** What a group of light clients has got. */
export interface LightReport {
  readonly group: string;
  readonly over: Transport;
  /** Milliseconds of each answer, and of what has no answer yet. */
  readonly waits: readonly number[];
  readonly outcomes: Outcomes;
}

/** How many operations were sent, and what has become of them. */
export interface Outcomes {
  readonly sent: number;
  readonly answered: number;
  /** The client has left before an answer, on purpose. */
  readonly left: number;
  /** By error code, or by the code with which a WebSocket was closed. */
  readonly refused: Readonly<Record<string, number>>;
}

/** The figures of the process of the light clients. */
export interface LightFigures extends GeneratorFigures {
  readonly groups: readonly LightReport[];
}

/** A client that sends as much as it can. */
export type Flood = SocketFlood | HttpFlood;

/** Operations that are sent over one WebSocket at once. */
export interface SocketFlood extends Sender {
  readonly over: 'WebSocket';
  readonly what: DocumentKind;
  readonly operations: number;
  /** Whether each Subscribe message is followed by a Complete message. Default: false. */
  readonly completes?: boolean;
  /** Whether the client reads nothing until the end of the scene. Default: false. */
  readonly isUnread?: boolean;
  /** Whether the operations are sent again when all have ended, until the end of the scene. Default: false. */
  readonly repeats?: boolean;
}

/** Operations over HTTP, as many at a time as there are connections. */
export interface HttpFlood extends Sender {
  readonly over: 'HTTP';
  readonly what: DocumentKind;
  readonly connections: number;
  /** Operations that are sent in all. Default: the client sends until the end of the scene. */
  readonly operations?: number;
}

/** Orders floods. It is answered by `FloodFigures` when all have ended. */
export interface FloodOrder extends Target {
  readonly floods: readonly Flood[];
  /** Milliseconds for which those send that have no number of operations. */
  readonly duration: number;
  /** Milliseconds to wait for answers afterwards. */
  readonly rest: number;
}

/** What a process that loads the server says of itself. */
export interface GeneratorFigures {
  /** The longest time for which its event loop was blocked, in milliseconds: waits that it measures are longer by up to this. */
  readonly ownBlock: number;
}

/** What all floods together have got. */
export interface FloodFigures extends GeneratorFigures {
  readonly outcomes: Outcomes;
  readonly receivedMiB: number;
}
