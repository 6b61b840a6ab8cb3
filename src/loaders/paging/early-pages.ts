// Holds the pages of one operation that are read before the objects on which their fields stand have arrived.
import type { Page, PageRequest } from './page.ts';

/** A page, and how many of its calls lack the associations that were requested. */
export interface ReadPage {
  readonly page: Page;
  readonly lacksIncludes: number;
}

/** Pages that no field has asked for yet. */
export class EarlyPages {
  readonly #pages = new Map<string, Promise<ReadPage | null>>();

  /** Begins to read a page. A failure is not reported: the field reads the page again and reports its own. */
  start(request: PageRequest, read: () => Promise<ReadPage>): void {
    const key = keyOf(request);
    if (!this.#pages.has(key))
      this.#pages.set(
        key,
        read().catch(() => null),
      );
  }

  /**
   * Hands a page over, once, because each field reports what is wrong with its own page. Null where none was begun; the page is null
   * where it could not be read.
   */
  take(request: PageRequest): Promise<ReadPage | null> | null {
    if (this.#pages.size === 0) return null;
    const key = keyOf(request);
    const page = this.#pages.get(key) ?? null;
    this.#pages.delete(key);
    return page;
  }

  /** Drops all pages, so that they are read again. */
  clear(): void {
    this.#pages.clear();
  }
}

const keyOf = ({ list, path, filter, includes, first, after, count }: PageRequest): string =>
  JSON.stringify([list.action.scope, path, filter, includes, first, after, count]);
