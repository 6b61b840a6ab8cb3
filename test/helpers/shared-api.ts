// Shares a facade over a described API among the tests of a file.
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import type { DescribedApi } from './described.ts';
import { type LiveLibrary, openLiveLibrary, resetBooks } from './live-library.ts';
import type { Handler } from './stub-upstream.ts';
import { observe } from './telemetry.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

/** An API whose facade listens at an address, and whose answers a test may change. */
type SharedApi<T> = T & {
  readonly url: string;
  /** Changes answers until the end of the test. */
  answer(handlers: Readonly<Record<string, Handler>>): void;
};

/**
 * Opens an API before the tests of a file or group. Before each, forgets its calls and restores its answers; after each, waits for
 * what it has left behind.
 */
export function shareApi<T extends DescribedApi>(open: () => Promise<T>): SharedApi<T> {
  const shared = {} as SharedApi<T>;
  let restore = (): void => undefined;
  beforeAll(async () => {
    const api = await open();
    const { url } = await api.listen();
    const { upstream } = api;
    const answer = (handlers: Readonly<Record<string, Handler>>): void => {
      for (const [scope, handler] of Object.entries(handlers)) upstream.handlers.set(scope, handler);
    };
    const answers = Object.fromEntries(upstream.handlers);
    const { onOptions } = upstream;
    restore = () => {
      upstream.calls.length = 0;
      upstream.handlers.clear();
      answer(answers);
      upstream.onOptions = onOptions;
    };
    Object.assign(shared, api, { url, answer });
  });
  beforeEach(() => restore());
  afterEach(async () => {
    await shared.facade.shutdown.operations.idle();
    await expect.poll(() => shared.facade.watcher.watched).toBe(0);
  });
  afterAll(() => shared[Symbol.asyncDispose]());
  return shared;
}

/** Opens a workshop before the tests of a file or group. Before each, the action 500 is running, and no other. */
export function shareWorkshop(...given: Parameters<typeof openWorkshop>): SharedApi<Workshop> {
  const shop = shareApi(() => openWorkshop(...given));
  beforeEach(() => {
    shop.actions.clear();
    shop.actions.set({ id: 500 });
  });
  return shop;
}

/** Opens a library with live queries before the tests of a file or group. Before each, it has its three books again. */
export function shareLiveLibrary(options: Partial<FacadeOptions> = {}): SharedApi<LiveLibrary> {
  const { observer, reports } = observe('liveQuery');
  const library = shareApi(() => openLiveLibrary({ observer, ...options }));
  beforeEach(() => resetBooks(library));
  afterEach(() => expect.poll(() => reports.every(({ hasEnded }) => hasEnded)).toBe(true));
  return library;
}
