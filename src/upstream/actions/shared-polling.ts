// Has one replica poll the running actions of a caller for all replicas that watch them.
import { ALONE, type Channel, type Claim, type Replicas } from '../../sharing/replicas.ts';
import type { JsonObject } from '../json.ts';
import {
  type FollowMessage,
  type Position,
  type ReadState,
  readMessage,
  type StatesMessage,
} from './polling-messages.ts';

/** The actions of a caller that a replica watches. */
export interface SharedActions {
  /** What this replica's own readers watch. */
  readonly watched: Pick<FollowMessage, 'actions' | 'unfinished'>;
  /** Starts polling. */
  lead(): void;
  /** Stops polling, and gets the states from the leader. */
  follow(): void;
  /** Watches for another replica what it names now, in place of what it named before. */
  watchFor(replica: string, ids: ReadonlySet<string>, unfinished: boolean): void;
  /** Reads an action again unless its state is from a read, or a read is under way, with this fencing token or a later one. */
  readAfter(id: string, token: number): void;
  /** The final state of an action that has ended recently; undefined where it is not known. */
  endOf(id: string): JsonObject | undefined;
  /** The states that changed after a change, and those of the ids in any case. */
  changedSince(change: number, ids: ReadonlySet<string>): readonly ReadState[];
  /** All known unfinished actions. */
  readonly unfinishedStates: readonly ReadState[];
  /**
   * Takes over a state that the leader has read. The end of an action is remembered also if nobody watches it here.
   * @returns False when this replica has read a later state.
   */
  accept(state: ReadState): boolean;
  /** Takes over unfinished actions that the leader has listed. @returns False when this replica has a later list. */
  acceptUnfinished(states: readonly ReadState[], isWhole: boolean): boolean;
  /** Reads a single action. */
  read(id: string): void;
  /** Makes the tokens of states that were read alone comparable: those reads ended before this time. */
  limitTokens(time: number): void;
}

/** How long a lease lasts, and the time between its renewals. Milliseconds. */
export type LeaseTimes = readonly [duration: number, renewal: number];

/** Changes in one turn. */
interface Changes {
  readonly actions: Map<string, ReadState>;
  readonly unfinished: Map<string, ReadState>;
  readonly failed: Set<string>;
}

/**
 * The part of one replica in watching the actions of one caller. The holder of the caller's lease leads: it polls what any replica
 * watches and sends each change. The others follow. At each beat, a follower tries to take the lease, and says what it watches and what
 * it has received; the leader answers with what it lacks.
 *
 * The fencing token of a state is the time of the claim under which its read began. A later leader's states have later tokens, so a
 * follower drops what an earlier one has sent too late.
 */
export class SharedPolling {
  readonly #replicas: Replicas;
  readonly #name: string;
  readonly #actions: SharedActions;
  readonly #times: LeaseTimes;
  readonly #channel: Channel;
  /** Null before the first answer. */
  #claim: Claim | null = null;
  /** The token of the first claim since this replica was alone. */
  #firstToken = ALONE.token;
  #role: 'leader' | 'follower' | null = null;
  /** When the last message of each follower arrived, as `performance.now()`. */
  readonly #followers = new Map<string, number>();
  /** What the leader has sent to this follower without a gap. */
  #position: Position = { leader: '', change: 0 };
  /** Whether this follower has received a whole list of the unfinished actions since it watches them. */
  #hasList = false;
  /** The number of the latest change that this leader has sent. */
  #change = 0;
  #unfinishedChange = 0;
  #unsent: Changes | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isAnnouncing = false;
  #isClosed = false;

  constructor(replicas: Replicas, name: string, actions: SharedActions, times: LeaseTimes) {
    this.#replicas = replicas;
    this.#name = name;
    this.#actions = actions;
    this.#times = times;
    this.#channel = replicas.open(name, (content) => this.#receive(content));
    void this.#beat();
  }

  /** See `PolledActions.token`. What a follower reads by itself is newer than all that it has received. */
  get token(): number | null {
    if (this.#role !== 'leader' || this.#claim === null) return ALONE.token;
    return performance.now() < this.#claim.endsAt ? this.#claim.token : null;
  }

  /** Makes a token comparable that may be of a read which began when this replica was alone. */
  comparable(token: number): number {
    return token === ALONE.token && this.#role === 'leader' ? this.#firstToken : token;
  }

  /** Ends the lease. Another replica takes it at once. */
  close(): void {
    this.#sendChanges();
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    void this.#replicas.release(this.#name).then(() => {
      if (this.#role === 'leader') this.#channel.send({ kind: 'left' });
      this.#channel.close();
    });
  }

  /** Schedules a message to the leader: this replica's own readers watch something else. */
  announce(): void {
    if (this.#isAnnouncing || this.#role !== 'follower') return;
    this.#isAnnouncing = true;
    setImmediate(() => {
      this.#isAnnouncing = false;
      this.#sayWatched();
    });
  }

  /** Sends a state to the followers, if this replica leads. @returns The number of the change. */
  send(id: string, state: JsonObject, token: number): number {
    const unsent = this.#unsentChanges();
    if (unsent === null) {
      this.#change += 1;
      return this.#change;
    }
    unsent.actions.set(id, [id, state, token]);
    return this.#change + 1;
  }

  sendUnfinished(id: string, state: JsonObject, token: number): void {
    this.#unsentChanges()?.unfinished.set(id, [id, state, token]);
  }

  /** Tells the followers that an action could not be read, so that each finds out for itself. */
  sendFailure(id: string): void {
    this.#unsentChanges()?.failed.add(id);
  }

  get #isLeading(): boolean {
    return this.#role === 'leader' && this.token !== null;
  }

  /** Where changes wait for the end of the turn; null where nobody else watches. */
  #unsentChanges(): Changes | null {
    if (!this.#isLeading || this.#followers.size === 0) return null;
    if (this.#unsent === null) {
      this.#unsent = { actions: new Map(), unfinished: new Map(), failed: new Set() };
      setImmediate(() => this.#sendChanges());
    }
    return this.#unsent;
  }

  #sendChanges(): void {
    const unsent = this.#unsent;
    this.#unsent = null;
    if (unsent === null) return;
    this.#change += 1;
    if (unsent.unfinished.size > 0) this.#unfinishedChange = this.#change;
    // The lease may have ended meanwhile; its next holder reads the states again.
    if (this.#isLeading)
      this.#sendStates({
        to: null,
        after: this.#change - 1,
        actions: [...unsent.actions.values()],
        unfinished: [...unsent.unfinished.values()],
        isWhole: false,
        failed: [...unsent.failed],
      });
  }

  #sendStates(states: Omit<StatesMessage, 'kind' | 'leader' | 'change'>): void {
    this.#channel.send({ kind: 'states', leader: this.#replicas.id, change: this.#change, ...states });
  }

  async #beat(): Promise<void> {
    const [duration, renewal] = this.#times;
    const wasFollower = this.#role === 'follower';
    const claim = await this.#replicas.claim(this.#name, duration);
    if (this.#isClosed) return;
    this.#claim = claim;
    if (claim.isAlone) this.#firstToken = ALONE.token;
    else if (this.#firstToken === ALONE.token) this.#firstToken = claim.token;
    // A replica that has just become a follower may have read states alone until now, so only the next claim is later than them.
    if (claim.isHeld ? !claim.isAlone : wasFollower) this.#actions.limitTokens(claim.token);
    if (claim.isHeld) this.#lead();
    else this.#follow();
    this.#timer = setTimeout(() => void this.#beat(), renewal);
  }

  #lead(): void {
    const [duration] = this.#times;
    for (const [replica, heardAt] of this.#followers)
      if (performance.now() - heardAt > duration) this.#forget(replica);
    if (this.#role === 'leader') return;
    this.#role = 'leader';
    this.#actions.lead();
  }

  #follow(): void {
    if (this.#role !== 'follower') {
      for (const replica of this.#followers.keys()) this.#forget(replica);
      this.#role = 'follower';
      this.#actions.follow();
    }
    this.#sayWatched();
  }

  #forget(replica: string): void {
    this.#followers.delete(replica);
    this.#actions.watchFor(replica, new Set(), false);
  }

  #sayWatched(): void {
    if (this.#isClosed || this.#role !== 'follower') return;
    const { actions, unfinished } = this.#actions.watched;
    this.#hasList &&= unfinished;
    this.#channel.send({
      kind: 'follow',
      replica: this.#replicas.id,
      actions,
      unfinished,
      lacksList: unfinished && !this.#hasList,
      position: this.#position,
    });
  }

  #receive(content: unknown): void {
    const message = readMessage(content);
    if (message === null || this.#isClosed) return;
    if (message.kind === 'follow') this.#answer(message);
    else if (this.#isLeading) return;
    else if (message.kind === 'states') this.#accept(message);
    else if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
      void this.#beat();
    }
  }

  /** Answers a follower with what it lacks. */
  #answer({ replica, actions: wanted, unfinished, lacksList, position }: FollowMessage): void {
    const { token: current } = this;
    if (this.#role !== 'leader' || current === null) return;
    const ids = wanted.map(([id]) => id);
    const watched = new Set(ids);
    const ended = ids.flatMap((id): readonly ReadState[] => {
      const state = this.#actions.endOf(id);
      // Nothing is later than a final state, so no follower may refuse it.
      return state === undefined ? [] : [[id, state, current]];
    });
    for (const [id] of ended) watched.delete(id);
    this.#followers.set(replica, performance.now());
    this.#actions.watchFor(replica, watched, unfinished);
    for (const [id, token] of wanted) if (token !== null) this.#actions.readAfter(id, token);
    const since = position.leader === this.#replicas.id ? position.change : -1;
    const lacked = new Set(wanted.flatMap(([id, token]) => (token === null ? [id] : [])));
    const changed = this.#actions.changedSince(since, lacked).filter(([id]) => watched.has(id));
    const actions = [...ended, ...changed];
    const needsList = lacksList || (unfinished && since < this.#unfinishedChange);
    if (since === this.#change && actions.length === 0 && !needsList) return;
    this.#sendStates({
      to: replica,
      after: since,
      actions,
      unfinished: needsList ? this.#actions.unfinishedStates : [],
      isWhole: needsList,
      failed: [],
    });
  }

  #accept({ leader, to, after, change, actions, unfinished, isWhole, failed }: StatesMessage): void {
    if (to !== null && to !== this.#replicas.id) return;
    let hasAccepted = true;
    for (const state of actions) hasAccepted = this.#actions.accept(state) && hasAccepted;
    if (unfinished.length > 0 || isWhole)
      hasAccepted = this.#actions.acceptUnfinished(unfinished, isWhole) && hasAccepted;
    this.#hasList ||= isWhole && hasAccepted;
    for (const id of failed) this.#actions.read(id);
    const isNext = to !== null || (leader === this.#position.leader && after <= this.#position.change);
    // The leader repeats what was lost, or was not accepted because it may be older than what this replica has read alone.
    if (isNext && hasAccepted) this.#position = { leader, change };
  }
}
