// Turns the events of subscriptions to several actions into lists of the latest state of each action, because GraphiQL shows only
// the newest event.
import type { ExecutionResult } from 'graphql';

/** A state of an action, with what the subscription has selected of it. */
export interface SelectedState {
  readonly id?: string;
  readonly outcome?: string | null;
  readonly finished?: boolean;
}

const STREAMS = ['pendingActions', 'actionProgressMany'];
/** Actions shown in a list; the note has the number of further ones. */
const MOST_SHOWN = 100;
/** Unfinished actions remembered, as many as one subscription may follow. */
const MOST_UNFINISHED = 1000;
const MOST_FINISHED = 20;
const NOTE =
  'This page lists the latest state of each action, unfinished ones first. Each event of the API contains one action.';

/** Whether a state is the last one of its action, as far as the selection shows. */
export const isFinished = ({ finished, outcome }: SelectedState): boolean =>
  finished === true || (outcome ?? 'RUNNING') !== 'RUNNING';

/** Remembers states by id. Unfinished ones keep their place in the list; finished ones follow, newest first. */
class LatestStates {
  readonly #unfinished = new Map<string, SelectedState>();
  readonly #finished = new Map<string, SelectedState>();

  add(id: string, state: SelectedState): void {
    const hasEnded = isFinished(state);
    (hasEnded ? this.#unfinished : this.#finished).delete(id);
    if (hasEnded) this.#finished.delete(id);
    (hasEnded ? this.#finished : this.#unfinished).set(id, state);
    dropOldest(this.#unfinished, MOST_UNFINISHED);
    dropOldest(this.#finished, MOST_FINISHED);
  }

  get all(): readonly SelectedState[] {
    return [...this.#unfinished.values(), ...[...this.#finished.values()].reverse()];
  }
}

function dropOldest(states: Map<string, SelectedState>, most: number): void {
  for (const id of states.keys()) {
    if (states.size <= most) return;
    states.delete(id);
  }
}

/**
 * Makes a function that turns each event of a subscription into the list that the page shows. Events without an id, and those of
 * other subscriptions, stay as they are.
 * @param fields Names of the root fields of the subscription.
 */
export function createEventRewriter(
  fields: readonly string[],
): (event: ExecutionResult) => ExecutionResult & { readonly note?: string } {
  if (!fields.some((field) => STREAMS.includes(field))) return (event) => event;
  const states = new LatestStates();
  let key: string | null = null;
  return (event) => {
    const { data, ...rest } = event;
    const [name, state] = Object.entries((data ?? {}) as Record<string, SelectedState | null>)[0] ?? [];
    if (name !== undefined && state !== null && state !== undefined) {
      if (state.id === undefined) return event;
      key = name;
      states.add(state.id, state);
    }
    if (key === null) return event;
    const { all } = states;
    const hidden = all.length - MOST_SHOWN;
    const note = hidden > 0 ? `${NOTE} ${hidden} more are not shown.` : NOTE;
    return { ...rest, note, [key]: all.slice(0, MOST_SHOWN) };
  };
}
