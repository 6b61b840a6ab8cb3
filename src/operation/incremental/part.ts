// Executes the parts of a result that come later: deferred fragments, and items of streamed lists.
import {
  type GraphQLError,
  getDirectiveValues,
  locatedError,
  type ResponsePath,
  responsePathAsArray,
} from 'graphql';
import { InvalidInputError } from '../../loaders/errors.ts';
import { STREAM } from '../../schema/incremental-directives.ts';
import { textOf } from '../../upstream/json.ts';
import type { Completion } from '../execution/complete-value.ts';
import type { Execution } from '../execution/execution.ts';
import type { DeferredSelection, FieldPlan } from '../execution/operation-plan.ts';
import { type Path, pathBelow } from '../execution/response.ts';
import type { Delivery } from './delivery.ts';
import type { IncrementalPart, PendingPart } from './incremental-result.ts';

/** What distinguishes a part from others of its result. */
interface Described {
  readonly kind: 'data' | 'items';
  /** The label of its directive; null for none. */
  readonly label: string | null;
  readonly path: Path;
}

/** The items of a list that come later. */
export interface Streamed {
  readonly initialCount: number;
  /** Executes the next item as a part of its own. */
  add(item: unknown): void;
}

/** A part of a result. It is executed at once, and delivered after the part that it is in, or the item that precedes it. */
export class Part {
  /** Executes the part, and has its errors. */
  readonly execution: Execution;
  /** Parts within this one, and the next item of its list. */
  readonly followers: Part[] = [];
  readonly #described: Described;
  readonly #delivery: Delivery;
  /** Undefined while it is executed; null after an error that leaves nothing. */
  #value: unknown;
  /** Whether what it follows has been executed. */
  isNext = false;

  constructor(described: Described, execute: (part: Part) => Execution, delivery: Delivery) {
    this.#described = described;
    this.#delivery = delivery;
    this.execution = execute(this);
  }

  /** Whether the part has been executed, and what it follows. */
  get isReady(): boolean {
    return this.isNext && this.#value !== undefined;
  }

  /** Executes the deferred fragments of an object in this part. */
  defer(deferred: readonly DeferredSelection[], source: unknown, path: Path): void {
    for (const { label, selection } of deferred) {
      const part = this.#add({ kind: 'data', label, path }, this);
      part?.settle(() => part.execution.resolveFields(selection, source, path));
    }
  }

  /**
   * Begins to stream a list of this part, if its field says so. Null: it comes as a whole, as each list within a list does.
   * @throws InvalidInputError when the number of first items is negative.
   */
  stream(field: FieldPlan, completion: Completion, list: ResponsePath): Streamed | null {
    if (typeof list.key === 'number') return null;
    const values = getDirectiveValues(STREAM, field.node, this.execution.variables);
    if (values?.['if'] !== true) return null;
    const label = textOf(values['label']);
    const initialCount = Number(values['initialCount']);
    if (initialCount < 0) throw new InvalidInputError('"@stream" needs an initialCount of 0 or more.');
    let index = initialCount;
    let previous: Part = this;
    return {
      initialCount,
      add: (item) => {
        const path = pathBelow(list, index, undefined);
        index += 1;
        const part = this.#add({ kind: 'items', label, path }, previous);
        if (part === null) return;
        previous = part;
        part.settle(() => part.execution.complete(field, completion, path, item));
      },
    };
  }

  /** Executes the part. Never throws. */
  settle(run: () => unknown): void {
    const { kind } = this.#described;
    const set = (value: unknown): void => this.#end(kind === 'items' ? [value] : value);
    const fail = (error: unknown): void => {
      this.execution.fail(error as GraphQLError);
      this.#end(null);
    };
    const { pauses } = this.execution;
    try {
      const value = pauses.began(run());
      if (value instanceof Promise) {
        value.then(set, fail);
        pauses.onEnd((error) => fail(locatedError(error, undefined)));
      } else set(value);
    } catch (error) {
      fail(error);
    }
  }

  /** Says that what this part follows has been executed. */
  allow(): void {
    this.isNext = true;
  }

  /** Says that nobody waits for this part, so that nothing follows it. */
  abandon(): void {
    this.#value = null;
  }

  /** Whether an error has left nothing at the place of a part that follows this one. */
  lacks(follower: Part): boolean {
    return this.#value === null || this.execution.isNulled(follower.#described.path);
  }

  /** Ends the part. Nothing can follow it that has not begun. */
  #end(value: unknown): void {
    if (this.#value !== undefined) return;
    this.#value = value;
    if (this.isNext) this.#delivery.deliver(this);
  }

  /** Null where the part has ended: nobody waits for what an error has left behind. */
  #add(described: Described, preceding: Part): Part | null {
    if (this.#value !== undefined) return null;
    const part = new Part(described, (own) => this.execution.fork(own), this.#delivery);
    preceding.followers.push(part);
    this.#delivery.expect();
    return part;
  }

  /** What announces the part. The items of a list are announced together, at the path of the list. */
  get announced(): Omit<PendingPart, 'id'> {
    const { kind, label, path } = this.#described;
    const place = kind === 'items' ? path?.prev : path;
    return {
      path: place === undefined ? [] : responsePathAsArray(place),
      ...(label === null ? {} : { label }),
    };
  }

  /** Whether a part that follows is the next item of the same list. */
  continuesAs(follower: Part): boolean {
    const [own, other] = [this.#described, follower.#described];
    return own.kind === 'items' && other.kind === 'items' && own.path?.prev === other.path?.prev;
  }

  /** The part by its id. Null where an error has left nothing of it. */
  toResultOf(id: string): IncrementalPart | null {
    const { kind } = this.#described;
    const { errors } = this.execution;
    if (this.#value === null) return null;
    return { id, [kind]: this.#value, ...(errors.length === 0 ? {} : { errors }) };
  }

  /** The part with its path. */
  toResult(): IncrementalPart {
    const { kind, label, path } = this.#described;
    const { errors } = this.execution;
    return {
      [kind]: this.#value,
      path: path === undefined ? [] : responsePathAsArray(path),
      ...(label === null ? {} : { label }),
      ...(errors.length === 0 ? {} : { errors }),
    };
  }
}
