// Names to the leader what this replica watches, while that one polls.
import type { Poller, WatchKind } from '../../upstream/actions/poller.ts';
import type { FollowMessage } from './polling-messages.ts';
import type { SharedPoller } from './shared-poller.ts';

/** A replica while another one leads. */
export class Follower {
  readonly #part: SharedPoller;
  /** Reads what the leader could not read. */
  readonly #poller: Poller;
  #isAnnouncing = false;
  #isClosed = false;

  constructor(part: SharedPoller) {
    const { states, own, isListOwn } = part;
    this.#part = part;
    this.#poller = part.createPoller({
      // It can be read now, so the leader will read it too.
      onState: (kind, id) => (kind === 'watched' ? this.#poller.remove(id) : this.#poller.watchList(null)),
      onFailure: (id, error) => part.fail(id, error),
    });
    for (const id of [...states.ids('watched')]) if (!own.has(id)) states.forget(id);
    if (!isListOwn) states.forgetList();
  }

  /** The readers of this replica watch these actions from now on. */
  watch(): void {
    this.#announce();
  }

  unwatch(id: string): void {
    this.#part.states.forget(id);
    this.onEnd(id);
    this.#announce();
  }

  /** The readers of this replica watch the list from now on, or no longer. */
  watchList(): void {
    if (!this.#part.isListOwn) this.#part.states.forgetList();
    this.#announce();
  }

  onEnd(id: string): void {
    this.#poller.remove(id);
  }

  close(): void {
    this.#isClosed = true;
    this.#poller.close();
  }

  /** Reads what the leader could not read, for an error of its own. */
  readFailed(ids: readonly (string | null)[]): void {
    const { own, states, isListOwn } = this.#part;
    const unread = ids.filter((id) => id !== null);
    for (const id of unread) states.forget(id, 'listed');
    const failed = unread.filter((id) => own.has(id));
    // Without a known state, the read is answered at once.
    for (const id of failed) states.forget(id);
    this.#part.poll(this.#poller, failed);
    if (isListOwn && ids.includes(null)) this.#poller.watchList([]);
  }

  /** Says what the readers of this replica watch, and which versions of it they have. */
  sayWatched(): void {
    const { replica, own, isListOwn, states } = this.#part;
    if (this.#isClosed) return;
    const known = (kind: WatchKind, ids: Iterable<string>): FollowMessage['watched'] =>
      [...ids].map((id) => [id, states.find(kind, id)?.version ?? null]);
    const watched = known('watched', own.keys());
    const listed = isListOwn ? known('listed', states.ids('listed')) : null;
    void this.#part.send({ kind: 'follow', replica, watched, listed });
  }

  /** Says it soon, once for all that changes until then. */
  #announce(): void {
    if (this.#isAnnouncing) return;
    this.#isAnnouncing = true;
    setImmediate(() => {
      this.#isAnnouncing = false;
      this.sayWatched();
    });
  }
}
