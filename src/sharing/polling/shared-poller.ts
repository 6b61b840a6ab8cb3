// Has one replica poll the running actions of a caller for all replicas that watch them.
//
//    replica A: holds the lease, leads        replica B: follows              replica C: follows
//    ┌─────────────────────────────────┐      ┌───────────────────────┐      ┌──────────────────┐
//    │ streams of A's readers          │      │ streams of B's readers│      │ …                │
//    │        ▲ 2. then delivers       │      │        ▲              │      │                  │
//    │ SharedPoller ───────────────────┼──────┼▶ SharedPoller         │      │                  │
//    │        ▲      1. sends `states` │      │        │              │      │                  │
//    │ ApiPoller  ◀────────────────────┼──────┼────────┘ `follow`: what B watches, and which
//    └────────┼────────────────────────┘      └───────────────────────┘ versions it has, each beat
//             ▼ one poll for an action
//      management API
//
// Lease. At each beat (1 s), every replica with readers tries to take or renew the caller's lease (3 s). Its holder leads: it polls what any
// replica watches. A leader that has no readers any more gives the lease up and says `left`; the followers then beat at once. The actions of
// one that dies are polled by another one after the lease and a beat at most. A leader whose lease has run out publishes nothing.
//
// Messages. Any may be lost, so each is repaired by the next beat: a follower says which version it has of what it watches, and the leader
// answers with what it lacks. That also serves a replica that is new, and a leader that is. Messages name what could not be
// read without its error: each follower reads the action itself, and gets an error of its own.
//
// Order. The leader sends a state to the followers before its own readers get it. If it dies in between, no client knows more than the other replicas do.
//
// Fencing token. A leader begins a term whenever it cannot know that it has led without a break. The token of the term is that of the claim
// before it, and claims have increasing tokens. Each state has the token of its term and the number of its change as its version; nobody
// takes over an earlier version. So what a former leader sends too late has no effect.
//
// Alone. A replica that does not reach the others leads a term of its own with an infinite token. When it reaches them again, it stops
// polling and then claims once more: the new token is later than all that it has read. If it follows now, the leader sees in its versions that
// it may have read later states, and begins a new term, in which it reads all of them again.
//
// Ended states. A final state is never outdated, so it is taken over whatever its version, and each replica remembers it for a minute, for
// subscribers who come back, to whichever replica.
import { LRUCache } from 'lru-cache';
import type { PolledAction, Poller, PollerListener } from '../../upstream/actions/poller.ts';
import type { SharePolling } from '../../upstream/actions/watcher.ts';
import { atMost, expireAfter } from '../../upstream/cache-bounds.ts';
import { sharedMeter } from '../../upstream/http/call-meter.ts';
import { type Channel, openChannel, type Replicas } from '../replicas.ts';
import { Follower } from './follower.ts';
import { Leader } from './leader.ts';
import { Lease, type LeaseTimes } from './lease.ts';
import {
  type PollingMessage,
  pollingMessage,
  type SentState,
  type StatesMessage,
} from './polling-messages.ts';
import { type EndedStates, VersionedStates } from './versioned-states.ts';

/** The lease of a caller's actions. */
export const DEFAULT_LEASE: LeaseTimes = [3_000, 1_000];

const MAX_ENDED = 10_000;
/** Longer than stock clients try to connect again. Milliseconds. */
const ENDED_KEPT_FOR = 60_000;

/**
 * Shares the polling of callers with other replicas.
 * @param api Distinguishes the API from others whose replicas share.
 */
export function sharePolling(
  replicas: Replicas,
  api: string,
  times: LeaseTimes = DEFAULT_LEASE,
): SharePolling {
  const ended: EndedStates = new LRUCache({ ...atMost(MAX_ENDED), ...expireAfter(ENDED_KEPT_FOR) });
  return (caller, listener, createPoller) => {
    if (!replicas.hasOthers) return createPoller(listener);
    const name = JSON.stringify(['actions', api, ...caller]);
    // A digest, because the name contains the credential.
    const states = new VersionedStates(replicas.digest(name), ended);
    return new SharedPoller(replicas, name, times, states, listener, createPoller);
  };
}

/** The part of one replica in polling the actions of one caller. */
export class SharedPoller implements Poller {
  readonly replica: string;
  /** What the readers of this replica watch. */
  readonly own = new Map<string, PolledAction>();
  isListOwn = false;
  readonly states: VersionedStates;
  readonly lease: Lease;
  readonly #times: LeaseTimes;
  readonly #listener: PollerListener;
  readonly #createPoller: (listener: PollerListener) => Poller;
  readonly #channel: Channel;
  /** Null before the first claim. */
  #role: Leader | Follower | null = null;
  #isClosed = false;

  constructor(
    replicas: Replicas,
    name: string,
    times: LeaseTimes,
    states: VersionedStates,
    listener: PollerListener,
    createPoller: (listener: PollerListener) => Poller,
  ) {
    this.replica = replicas.id;
    this.states = states;
    this.#times = times;
    this.#listener = listener;
    this.#createPoller = createPoller;
    this.#channel = openChannel(replicas, name, pollingMessage, (message) => this.#receive(message));
    this.lease = new Lease(replicas, name, times, this);
  }

  add(actions: readonly PolledAction[]): void {
    const running = actions.filter(({ id }) => this.states.endOf(id) === undefined);
    for (const action of running) this.own.set(action.id, action);
    this.#role?.watch(running.map(({ id }) => id));
    for (const { id } of actions) {
      const state = this.states.endOf(id) ?? this.states.find('watched', id)?.state;
      if (state !== undefined) this.#listener.onState('watched', id, state);
    }
  }

  remove(id: string): void {
    this.own.delete(id);
    this.#role?.unwatch(id);
  }

  watchList(ids: Iterable<string> | null): void {
    this.isListOwn = ids !== null;
    this.#role?.watchList();
    if (ids === null) return;
    for (const id of this.states.ids('listed')) {
      const known = this.states.find('listed', id);
      if (known !== undefined) this.#listener.onState('listed', id, known.state);
    }
  }

  /** Gives the lease up, so that another replica takes it at once. */
  close(): void {
    this.#isClosed = true;
    this.#role?.close();
    void this.lease.close().then(() => {
      if (this.#role instanceof Leader) void this.send({ kind: 'left' });
      this.#channel.close();
    });
  }

  /** Begins a term with this fencing token. Called when this replica may have lost the lease in between. */
  lead(token: number): void {
    this.#role?.close();
    this.#role = new Leader(this, token);
    // The last reader may just have got an end that was known.
    if (this.#isClosed) this.#role.close();
  }

  /** Another replica leads. Called at each beat. */
  follow(): void {
    if (!(this.#role instanceof Follower)) {
      this.#role?.close();
      this.#role = new Follower(this);
    }
    this.#role.sayWatched();
  }

  /** Stops leading, because this replica reaches others again, who may have led too. */
  pause(): void {
    this.#role?.close();
  }

  /** Lowers versions that were read alone to this token. */
  limitTokens(token: number): void {
    this.states.limitTokens(token);
  }

  /** Called after each beat. */
  onBeat(): void {
    if (this.#role instanceof Leader) this.#role.forgetSilent(this.#times[0]);
  }

  createPoller(listener: Omit<PollerListener, 'onEnd'>): Poller {
    return this.#createPoller({ ...listener, onEnd: (id) => this.#listener.onEnd(id) });
  }

  /** Has a poller poll those of the actions that run. */
  poll(poller: Poller, ids: Iterable<string>): void {
    const { own, states } = this;
    const running: string[] = [];
    for (const id of [...ids]) {
      const end = states.endOf(id);
      if (end === undefined) running.push(id);
      // Its end is known from the list, or from another watch.
      else if (own.has(id)) this.deliver(['watched', id, end, [0, 0]]);
    }
    poller.add(
      running.map((id) => ({
        id,
        cause: own.get(id)?.cause ?? null,
        state: states.find('watched', id)?.state ?? null,
        get meters() {
          return own.get(id)?.meters ?? [];
        },
        openMeter: () => own.get(id)?.openMeter() ?? sharedMeter(() => []),
      })),
    );
  }

  send(message: PollingMessage): Promise<void> {
    return this.#channel.send(message);
  }

  /** Gives a state to the readers of this replica, unless they know a later one by now. */
  deliver([kind, id, state]: SentState): void {
    const isFinished = state['finished'] === true;
    if (!isFinished && this.states.find(kind, id)?.state !== state) return;
    if (isFinished && kind === 'watched') this.own.delete(id);
    this.#listener.onState(kind, id, state);
  }

  /** Ends the streams of this replica's readers of an action, or of the list (null), with an error. */
  fail(id: string | null, error: unknown): void {
    if (id === null) this.isListOwn = false;
    else this.own.delete(id);
    this.#listener.onFailure(id, error);
  }

  #receive(message: PollingMessage): void {
    if (this.#isClosed) return;
    const isLeading = this.lease.isHeld;
    if (message.kind === 'follow') {
      if (isLeading && this.#role instanceof Leader) this.#role.answer(message);
    } else if (isLeading) return;
    else if (message.kind === 'states') this.#accept(message);
    else this.lease.claimNow();
  }

  /** Takes over what the leader has read. The end of an action is remembered also if nobody watches it here. */
  #accept({ to, states, failed }: StatesMessage): void {
    if (to !== null && to !== this.replica) return;
    for (const sent of states) {
      const [kind, id, state] = sent;
      const isFinished = state['finished'] === true;
      if (isFinished) this.#listener.onEnd(id);
      else if (kind === 'watched' ? !this.own.has(id) : !this.isListOwn) continue;
      if (!this.states.isNew(sent)) continue;
      this.states.keep(sent);
      if (isFinished && kind === 'watched') this.#role?.onEnd(id);
      this.deliver(sent);
    }
    if (this.#role instanceof Follower) this.#role.readFailed(failed);
  }
}
