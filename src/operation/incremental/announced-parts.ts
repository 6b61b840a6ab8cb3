// Writes parts by ids: `pending` announces each, `incremental` has its values, and `completed` ends it.
import type { CompletedPart, IncrementalPart, IncrementalResult, PendingPart } from './incremental-result.ts';
import type { Part } from './part.ts';

/** The announced parts of one result. */
export class AnnouncedParts {
  readonly #ids = new Map<Part, string>();
  #count = 0;

  /** Announces what follows the first part of a result. */
  begin(whole: Part): Pick<IncrementalResult, 'pending'> {
    return { pending: this.#announce(whole.followers.filter(({ isNext }) => isNext)) };
  }

  /** Writes parts that are ready, in this order. */
  write(parts: readonly Part[]): Pick<IncrementalResult, 'pending' | 'incremental' | 'completed'> {
    const pending: PendingPart[] = [];
    const incremental: IncrementalPart[] = [];
    const completed: CompletedPart[] = [];
    for (const part of parts) {
      const id = this.#ids.get(part) ?? '';
      this.#ids.delete(part);
      const written = part.toResultOf(id);
      if (written !== null) incremental.push(written);
      const followers = part.followers.filter(({ isNext }) => isNext);
      const nextItem = followers.find((follower) => part.continuesAs(follower));
      pending.push(...this.#announce(followers.filter((follower) => follower !== nextItem)));
      // The items of a list share its id.
      if (nextItem !== undefined) this.#ids.set(nextItem, id);
      else completed.push({ id, ...(written === null && { errors: part.execution.errors }) });
    }
    return {
      ...(pending.length > 0 && { pending }),
      ...(incremental.length > 0 && { incremental }),
      ...(completed.length > 0 && { completed }),
    };
  }

  #announce(parts: readonly Part[]): PendingPart[] {
    return parts.map((part) => {
      const id = `${this.#count}`;
      this.#count += 1;
      this.#ids.set(part, id);
      return { id, ...part.announced };
    });
  }
}
