// Collects the warnings of one operation.

/** A notice for the client about a result that is not an error. */
export interface Warning {
  readonly code:
    | 'ASSOCIATION_HIDDEN'
    | 'COUNT_UNAVAILABLE'
    | 'ENUM_VALUE_UNKNOWN'
    | 'FIELD_NOT_SENT'
    | 'INCLUDES_UNAVAILABLE'
    | 'PAGINATION_EMULATED'
    | 'PAGINATION_UNVERIFIED'
    | 'RESULT_MISSING';
  /** Coordinate of the field, e.g. `Book.author`. */
  readonly coordinate: string;
  /** Number of occurrences in this operation. */
  readonly count: number;
  /** Further values that are documented for the code; numbers only. */
  readonly details?: Readonly<Record<string, number | null>>;
}

/** The warnings of one operation: one for each pair of code and field. */
export class Warnings {
  readonly #warnings = new Map<string, Warning>();

  /** In the order of first occurrence. */
  get list(): readonly Warning[] {
    return [...this.#warnings.values()];
  }

  /** @param details Replaces the details of an earlier warning with the same code and field. */
  add(code: Warning['code'], coordinate: string, details?: Warning['details']): void {
    const key = `${code} ${coordinate}`;
    const count = (this.#warnings.get(key)?.count ?? 0) + 1;
    this.#warnings.set(key, { code, coordinate, count, ...(details ? { details } : {}) });
  }
}
