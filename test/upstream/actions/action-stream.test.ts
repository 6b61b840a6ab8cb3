// Tests that each of many subscribers gets every final state, and no state after a newer one.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SUBSCRIBERS } from '../../helpers/streams.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

interface Event {
  readonly actionProgress: { readonly id: string; readonly outcome: string; readonly current: number };
}

const STREAMS = 60;
const ACTIONS = 30;
const STATE = '{ id outcome current }';
const one = { 'X-Library-Token': 'one' };

describe.each(SUBSCRIBERS)('many subscribers over %s', (_name, subscribe) => {
  it('get states in their order and the final one, while the states change faster than they are read', async () => {
    await using shop = await openWorkshop({}, { watch: { interval: 20 } });
    const ids = Array.from({ length: ACTIONS }, (_, index) => 1_000 + index);
    for (const id of ids) shop.actions.set({ id, current: 0, total: 50 });
    const { url } = await shop.listen();
    const open = (id: number) =>
      subscribe(url, `subscription { actionProgress(id: ${id}, minInterval: 0.1) ${STATE} }`, one);
    const streams = Array.from({ length: STREAMS }, (_, index) => open(1_000 + (index % ACTIONS)));
    const first = (await Promise.all(streams.map((stream) => stream.next()))) as Event[];
    expect(first.map(({ actionProgress }) => actionProgress.outcome)).toEqual(streams.map(() => 'RUNNING'));
    const rest = Promise.all(streams.map((stream) => stream.rest())) as Promise<Event[][]>;
    for (let current = 1; current <= 50; current += 1) {
      for (const id of ids) shop.actions.set({ id, current });
      await nextTurn();
    }
    for (const id of ids) shop.actions.set({ id, current: 50, finished: true });
    for (const [index, events] of (await rest).entries()) {
      const states = events.map(({ actionProgress }) => actionProgress);
      expect(states.at(-1)).toEqual({
        id: `action_state/${1_000 + (index % ACTIONS)}`,
        outcome: 'SUCCEEDED',
        current: 50,
      });
      const progress = states.map(({ current }) => current);
      expect(progress).toEqual(progress.toSorted((a, b) => a - b));
      expect(states.filter(({ outcome }) => outcome !== 'RUNNING')).toHaveLength(1);
    }
    expect(shop.facade.watcher.watched).toBe(0);
  });
});
