// Polls the actions of a caller for all replicas, during one term.
import { hasChanged } from '../../upstream/actions/action-state-api.ts';
import type { Poller, WatchKind } from '../../upstream/actions/poller.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { FollowMessage, SentState } from './polling-messages.ts';
import type { SharedPoller } from './shared-poller.ts';

/** What another replica watches. */
interface FollowingReplica {
  readonly watched: ReadonlySet<string>;
  readonly isListWatched: boolean;
  /** When it was last heard, as `performance.now()`. */
  readonly heardAt: number;
}

/** What is published: a state, or the id of what could not be read. */
type News = SentState | { readonly failed: string | null; readonly error: unknown };

/** One term of a leader. */
export class Leader {
  readonly #part: SharedPoller;
  readonly #token: number;
  readonly #poller: Poller;
  /** By replica. */
  readonly #followers = new Map<string, FollowingReplica>();
  /** The number of the last change. */
  #change = 0;
  /** What has been read and not published yet. */
  readonly #news: News[] = [];
  #isPublishing = false;

  /** @param token The fencing token of the term. */
  constructor(part: SharedPoller, token: number) {
    this.#part = part;
    this.#token = token;
    this.#poller = part.createPoller({
      onState: (kind, id, state) => this.#takeRead(kind, id, state),
      onFailure: (id, error) => this.#takeFailure(id, error),
    });
    part.poll(this.#poller, part.own.keys());
    this.#updateList(part.states.ids('listed'));
  }

  /** The readers of this replica watch these actions from now on. */
  watch(ids: readonly string[]): void {
    this.#part.poll(this.#poller, ids);
  }

  unwatch(id: string): void {
    this.#dropUnwatched([id]);
  }

  /** The readers of this replica watch the list from now on, or no longer. */
  watchList(): void {
    this.#updateList([]);
  }

  onEnd(id: string): void {
    this.#poller.remove(id);
  }

  close(): void {
    this.#poller.close();
  }

  /** Forgets followers that have not been heard for a time, in milliseconds. */
  forgetSilent(after: number): void {
    for (const [replica, { heardAt }] of this.#followers)
      if (performance.now() - heardAt > after) this.#setFollower(replica, null);
  }

  /** Watches for a follower what it names, and answers with what it lacks. */
  answer({ replica, watched, listed }: FollowMessage): void {
    const { states, lease } = this.#part;
    if ([...watched, ...(listed ?? [])].some(([, version]) => version !== null && version[0] > this.#token))
      lease.endTerm();
    const versions = new Map(listed);
    const ids = listed === null ? [] : new Set([...versions.keys(), ...states.ids('listed')]);
    const lacked = [
      ...watched.map(([id, version]) => states.lackedBy('watched', id, version)),
      ...[...ids].map((id) => states.lackedBy('listed', id, versions.get(id) ?? null)),
    ].filter((state) => state !== null);
    this.#setFollower(replica, {
      watched: new Set(watched.map(([id]) => id)),
      isListWatched: listed !== null,
      heardAt: performance.now(),
    });
    this.#updateList([...versions.keys()].filter((id) => states.endOf(id) === undefined));
    if (lacked.length > 0) void this.#part.send({ kind: 'states', to: replica, states: lacked, failed: [] });
  }

  /** Watches for another replica what it names now, in place of what it named before; null: nothing. */
  #setFollower(replica: string, follower: FollowingReplica | null): void {
    const before = this.#followers.get(replica)?.watched ?? [];
    if (follower === null) this.#followers.delete(replica);
    else this.#followers.set(replica, follower);
    this.#dropUnwatched(before);
    this.#part.poll(this.#poller, follower?.watched ?? []);
    this.#updateList([]);
  }

  /** Forgets those of the actions that neither this replica watches nor another one. */
  #dropUnwatched(ids: Iterable<string>): void {
    for (const id of ids) {
      const isFollowed = [...this.#followers.values()].some(({ watched }) => watched.has(id));
      if (isFollowed || this.#part.own.has(id)) continue;
      this.#part.states.forget(id);
      this.#poller.remove(id);
    }
  }

  /** Begins or ends to read the list. @param ids Those whose end somebody has to learn. */
  #updateList(ids: Iterable<string>): void {
    const isFollowed = [...this.#followers.values()].some(({ isListWatched }) => isListWatched);
    const isWatched = isFollowed || this.#part.isListOwn;
    this.#poller.watchList(isWatched ? ids : null);
    if (!isWatched) this.#part.states.forgetList();
  }

  /** Takes a state that has been read. Where the lease has run out, the next beat has it read again, here or elsewhere. */
  #takeRead(kind: WatchKind, id: string, state: JsonObject): void {
    const { states, lease } = this.#part;
    if (!lease.isHeld) return;
    const known = states.find(kind, id);
    if (known?.version[0] === this.#token && !hasChanged(known.state, state)) return;
    this.#change += 1;
    const news: SentState = [kind, id, state, [this.#token, this.#change]];
    states.keep(news);
    this.#news.push(news);
    void this.#publish();
  }

  #takeFailure(id: string | null, error: unknown): void {
    if (!this.#part.lease.isHeld) return;
    if (id !== null) {
      this.#part.states.forget(id);
      this.#part.states.forget(id, 'listed');
    }
    this.#news.push({ failed: id, error });
    void this.#publish();
  }

  /** Sends what has been read to the followers, and then to the readers of this replica. */
  async #publish(): Promise<void> {
    if (this.#isPublishing) return;
    this.#isPublishing = true;
    while (this.#news.length > 0) {
      const news = this.#news.splice(0);
      if (this.#followers.size > 0 && this.#part.lease.isHeld) {
        const states = news.flatMap((one) => ('failed' in one ? [] : [one]));
        const failed = news.flatMap((one) => ('failed' in one ? [one.failed] : []));
        await this.#part.send({ kind: 'states', to: null, states, failed });
      }
      for (const one of news)
        if ('failed' in one) this.#part.fail(one.failed, one.error);
        else this.#part.deliver(one);
    }
    this.#isPublishing = false;
  }
}
