// Bounds the memory that answers of the management API take in this process, and shares it among clients.
import { AnswerMemoryError } from '../upstream/errors.ts';
import type { AnswerReader, AnswerRoom, AnswerRooms } from '../upstream/http/answer-room.ts';
import type { Client } from './client.ts';
import {
  type Claim,
  findNext,
  fits,
  fitsAlways,
  heldNow,
  MemoryShare,
  NetworkMemoryShare,
  type SharePath,
} from './memory-shares.ts';

/** Memory for each byte of an answer. A list of objects takes 1.6 bytes when it is parsed, its text goes meanwhile, and some is garbage. */
const EXPANSION = 2;
/** Whose the requests are that belong to no operation. */
const SERVER: Client = { network: '', key: '' };

/** An answer for which there is no room yet. */
interface Waiter extends Claim {
  readonly room: OperationRoom;
  readonly reader: AnswerReader;
}

/** The memory for the answers of a process. */
export class AnswerMemory implements AnswerRooms {
  #limit: number;
  readonly #all = new MemoryShare();
  readonly #networks = new Map<string, NetworkMemoryShare>();
  readonly #waiting = new Set<Waiter>();
  /** Number of times that the order of clients has changed. */
  #changes = 0;

  /** @param limit Bytes of memory. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes that the answers of all operations take, as an estimate. */
  get held(): number {
    return this.#all.held;
  }

  /** Memory that an operation is sure to get in its turn. Its client may hold two thirds of all. */
  get largest(): number {
    return this.#limit / 2;
  }

  /** Memory of an operation with short answers only; long ones take turns. 1 MiB of 256. */
  get short(): number {
    return this.#limit / 256;
  }

  /** Answers that are not read on because there is no room. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Changes the limit. What is taken stays so. */
  resize(limit: number): void {
    this.#limit = limit;
    this.#serve();
  }

  /** Opens the room for the answers of one operation. It must be closed. @param client Default: the server itself. */
  openRoom(client = SERVER): OperationRoom {
    return new OperationRoom(this, client);
  }

  /** For rooms: takes bytes, or lets a reader wait for them. */
  take(room: OperationRoom, size: number, reader: AnswerReader): boolean {
    room.shares ??= this.#enter(room.client);
    const { shares, isLong } = room;
    const isShort = room.held + size <= this.short;
    // Most answers are short, and come while there is room for everybody.
    if (isShort && this.#waiting.size === 0 && fitsAlways(shares, size, this.#limit)) {
      this.#count(room, size);
      return true;
    }
    const waiter = { room, reader, size, shares, isShort, isNew: !(isShort || isLong) };
    if ((this.#waiting.size === 0 || !waiter.isNew) && fits(waiter, this.#limit, heldNow)) {
      this.#grant(waiter);
      return true;
    }
    this.#waiting.add(waiter);
    return this.#serve(waiter);
  }

  /** For rooms: ends the wait of a reader. */
  leave(room: OperationRoom, reader: AnswerReader): void {
    for (const waiter of this.#waiting)
      if (waiter.room === room && waiter.reader === reader) this.#waiting.delete(waiter);
    this.#serve();
  }

  /** For rooms: takes bytes back. */
  free(room: OperationRoom, size: number): void {
    this.#count(room, -size);
    this.#serve();
  }

  /** For rooms: takes everything back. Who still waits goes on, because nothing keeps its answer. */
  close(room: OperationRoom): void {
    if (room.shares === null) return;
    this.#count(room, -room.held);
    const [all, network, client] = room.shares;
    all.rooms -= 1;
    network.rooms -= 1;
    client.rooms -= 1;
    if (room.isLong) this.#countLong(room.shares, -1);
    if (client.rooms === 0) network.clients.delete(room.client.key);
    if (network.rooms === 0) this.#networks.delete(room.client.network);
    if (this.#waiting.size === 0) return;
    for (const waiter of this.#waiting)
      if (waiter.room === room && this.#waiting.delete(waiter)) waiter.reader.goOn();
    this.#serve();
  }

  /** Grants what fits. Returns whether `asking`, whose reader need not be called, is granted. */
  #serve(asking: Waiter | null = null): boolean {
    let isGranted = false;
    while (this.#waiting.size > 0) {
      const next = findNext(this.#waiting, this.#limit, heldNow);
      if (next !== null) {
        this.#waiting.delete(next);
        this.#grant(next);
        if (next === asking) isGranted = true;
        else next.reader.goOn();
        continue;
      }
      const room = this.#findDeadlocked();
      if (room === null) break;
      this.#refuse(room);
    }
    return isGranted;
  }

  #grant({ room, size, shares, isNew }: Waiter): void {
    this.#count(room, size);
    if (!isNew) return;
    room.isLong = true;
    this.#countLong(shares, 1);
  }

  /**
   * Finds the operation to end where each of those that wait needs what the others hold: the one that holds and asks for most. Null if the
   * end of those that do not wait will help.
   */
  #findDeadlocked(): OperationRoom | null {
    const held = new Map<MemoryShare, number>();
    for (const { shares, held: size } of new Set(
      [...this.#waiting].flatMap(({ room }) => [room, ...room.joined]),
    ))
      for (const share of shares ?? []) held.set(share, (held.get(share) ?? 0) + size);
    if (findNext(this.#waiting, this.#limit, (share) => held.get(share) ?? 0) !== null) return null;
    let largest: Waiter | null = null;
    for (const waiter of this.#waiting)
      if (largest === null || sizeOf(waiter) > sizeOf(largest)) largest = waiter;
    return largest?.room ?? null;
  }

  #refuse(refused: OperationRoom): void {
    refused.isRefused = true;
    const ended = [...this.#waiting].filter(({ room }) => room === refused);
    for (const waiter of ended) this.#waiting.delete(waiter);
    for (const { reader } of ended) reader.end(new AnswerMemoryError());
  }

  #count(room: OperationRoom, size: number): void {
    room.held += size;
    if (room.shares === null) return;
    const [all, network, client] = room.shares;
    all.held += size;
    network.held += size;
    client.held += size;
  }

  #countLong(shares: SharePath, change: 1 | -1): void {
    this.#changes += 1;
    for (const share of shares) {
      share.long += change;
      share.since = this.#changes;
    }
  }

  #enter({ network: name, key }: Client): SharePath {
    this.#changes += 1;
    let network = this.#networks.get(name);
    if (network === undefined) {
      network = new NetworkMemoryShare();
      network.since = this.#changes;
      this.#networks.set(name, network);
    }
    let client = network.clients.get(key);
    if (client === undefined) {
      client = new MemoryShare();
      client.since = this.#changes;
      network.clients.set(key, client);
    }
    this.#all.rooms += 1;
    network.rooms += 1;
    client.rooms += 1;
    return [this.#all, network, client];
  }
}

const sizeOf = ({ room, size }: Waiter): number => room.held + size;

/** The room for the answers of one operation. */
export class OperationRoom implements AnswerRoom {
  readonly client: Client;
  /** Null before anything is taken. */
  shares: SharePath | null = null;
  /** Estimated bytes of its answers. */
  held = 0;
  /** Whether it has taken more than short answers need. */
  isLong = false;
  /** Whether it gets nothing more. */
  isRefused = false;
  /** Rooms of other operations whose answers this one shares. */
  readonly joined: OperationRoom[] = [];
  readonly #memory: AnswerMemory;
  /** Operations that use the answers. */
  #users = 1;
  #isClosed = false;

  constructor(memory: AnswerMemory, client: Client) {
    this.#memory = memory;
    this.client = client;
  }

  get largest(): number {
    return Math.floor(this.#memory.largest / EXPANSION);
  }

  get short(): number {
    return Math.floor(this.#memory.short / EXPANSION);
  }

  take(bytes: number, reader: AnswerReader): boolean {
    if (this.#users === 0) return true;
    if (this.isRefused) throw new AnswerMemoryError();
    return this.#memory.take(this, EXPANSION * bytes, reader);
  }

  leave(reader: AnswerReader): void {
    this.#memory.leave(this, reader);
  }

  free(bytes: number): void {
    if (this.#users > 0) this.#memory.free(this, EXPANSION * bytes);
  }

  join(other: AnswerRoom): void {
    if (!(other instanceof OperationRoom) || other === this || other.#users === 0) return;
    if (this.joined.includes(other)) return;
    other.#users += 1;
    this.joined.push(other);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#leave();
    if (this.joined.length > 0) for (const room of this.joined.splice(0)) room.#leave();
  }

  another(): OperationRoom {
    return this.#memory.openRoom(this.client);
  }

  renew(): OperationRoom {
    return this.#isClosed ? this.another() : this;
  }

  #leave(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#memory.close(this);
  }
}
