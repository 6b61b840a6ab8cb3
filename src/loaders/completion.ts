// Fetches the values that the objects of an operation lack, except those that `show` does not send either.
import { LRUCache } from 'lru-cache';
import { atMost, expireAfter } from '../upstream/cache-bounds.ts';
import type { JsonObject } from '../upstream/json.ts';
import type { Entity } from './entity.ts';
import type { IncludeRequest, ShowResult } from './object-loader.ts';

/** A selected value of an object. */
export interface ShownValue {
  /** The output parameter. */
  readonly parameter: string;
  /** Coordinate of its field, e.g. `Book.title`. */
  readonly coordinate: string;
}

/** What the selected fields of an object need. */
export interface CompletionRequest extends IncludeRequest {
  /** The values that `show` answers according to its description. */
  readonly shown: readonly ShownValue[];
}

/** What the completion of objects needs of their operation. */
export interface CompletionParts {
  /** Key of the caller. */
  readonly caller: string;
  readonly sent: SentValues;
  /** Fetches an object. */
  load(entity: Entity, request: IncludeRequest): Promise<ShowResult>;
  /** Called with the coordinate of the field when `show` does not send a value that an object lacks. */
  onUnsent(coordinate: string): void;
}

/**
 * Completes the objects of one operation. One row of a list is fetched before the others, where it is not known whether `show` sends any
 * of the values that they lack.
 */
export class Completion {
  readonly #parts: CompletionParts;
  /** The rows that are fetched before others, by what these others lack. */
  readonly #trials = new Map<string, Promise<void>>();

  constructor(parts: CompletionParts) {
    this.#parts = parts;
  }

  /** Fetches the values that an object lacks. A failure is recorded in the object. Never rejects. */
  async complete(entity: Entity, request: CompletionRequest): Promise<void> {
    const { show } = entity.identity;
    const missing = request.shown.filter(({ parameter }) => !entity.has(parameter));
    if (show === null || missing.length === 0) return void (await this.#fetch(entity, request));
    const has = show.output.parameters.map(({ name }) => Number(entity.has(name))).join('');
    const kind = { caller: this.#parts.caller, action: show.scope, has };
    const complete = (): Promise<void> => this.#fetchMissing(entity, request, kind, missing);
    // An association lacks nearly all values, which says nothing about what `show` sends.
    if (entity.source === 'row' && this.#isUseful(kind, missing) === undefined) {
      const key = JSON.stringify([show.scope, has, missing.map(({ parameter }) => parameter)]);
      const trial = this.#trials.get(key);
      if (trial === undefined) return this.#try(key, complete());
      await trial;
    }
    // A trial that has failed shows nothing, so the other rows are fetched.
    if (this.#isUseful(kind, missing) === false) this.#reportUnsent(kind, missing);
    else await complete();
  }

  async #try(key: string, trial: Promise<void>): Promise<void> {
    this.#trials.set(key, trial);
    await trial;
    this.#trials.delete(key);
  }

  /** Whether `show` sends any of the missing values; undefined where that is not known. */
  #isUseful(kind: ObjectKind, missing: readonly ShownValue[]): boolean | undefined {
    const known = missing.map(({ parameter }) => this.#parts.sent.isSent(kind, parameter));
    return known.includes(true) || (known.includes(undefined) ? undefined : false);
  }

  async #fetchMissing(
    entity: Entity,
    request: IncludeRequest,
    kind: ObjectKind,
    missing: readonly ShownValue[],
  ): Promise<void> {
    if (!(await this.#fetch(entity, request))) return;
    for (const { parameter } of missing) this.#parts.sent.record(kind, parameter, entity.has(parameter));
    this.#reportUnsent(kind, missing);
  }

  #reportUnsent(kind: ObjectKind, missing: readonly ShownValue[]): void {
    for (const { parameter, coordinate } of missing)
      if (this.#parts.sent.isSent(kind, parameter) === false) this.#parts.onUnsent(coordinate);
  }

  /** Returns whether the object was fetched. */
  async #fetch(entity: Entity, request: IncludeRequest): Promise<boolean> {
    try {
      const { values } = await this.#parts.load(entity, request);
      entity.complete(values);
      return true;
    } catch (error) {
      entity.fail(error);
      return false;
    }
  }
}

/** Actions that are remembered, each for one caller. */
const MAX_ACTIONS = 1_000;
/** Pairs of a value and a kind of object that are remembered for one action. */
const MAX_VALUES = 1_000;
/** Time for which an action is remembered, in milliseconds. It is short because the server may be changed. */
const REMEMBERED_FOR = 10 * 60_000;

/** The action `show` of one caller: rights and rows of one caller say nothing about another's. */
export interface ShowOfCaller {
  /** Key of the caller. */
  readonly caller: string;
  /** Scope of the action. */
  readonly action: string;
}

/** Objects that lacked the same values before they were fetched. */
export interface ObjectKind extends ShowOfCaller {
  /** One digit for each described value, in the order of the description: 1 if they had it, else 0. */
  readonly has: string;
}

/** What is known of one `show` of one caller. */
interface Known {
  /** Whether a value was sent, by its name and the kind of object. */
  readonly byKind: Map<string, boolean>;
  /** The values that were not sent for some kind. */
  readonly unsent: Set<string>;
  /** Those of them that were sent for an object of unknown kind. */
  readonly sent: Set<string>;
}

/**
 * Remembers whether `show` sends values that objects lacked before. The first object of a kind decides for the others, until `show`
 * sends the value for any object.
 */
export class SentValues {
  readonly #known = new LRUCache<string, Known>({ ...atMost(MAX_ACTIONS), ...expireAfter(REMEMBERED_FOR) });

  /** Whether `show` sends a value for objects of a kind; undefined where that is not known. */
  isSent(kind: ObjectKind, name: string): boolean | undefined {
    const known = this.#known.get(keyOf(kind));
    return known?.sent.has(name) === true || known?.byKind.get(valueKeyOf(kind, name));
  }

  /** Records whether `show` has sent a value for an object of a kind. A value that was sent once counts as sent. */
  record(kind: ObjectKind, name: string, isSent: boolean): void {
    const { byKind, unsent } = this.#open(kind);
    const key = valueKeyOf(kind, name);
    if (byKind.size >= MAX_VALUES && !byKind.has(key)) return;
    byKind.set(key, isSent || byKind.get(key) === true);
    if (!isSent) unsent.add(name);
  }

  /** Corrects what is known by what `show` has sent for an object of unknown kind. */
  correct(show: ShowOfCaller, values: JsonObject): void {
    const known = this.#known.get(keyOf(show));
    for (const name of known?.unsent ?? []) if (Object.hasOwn(values, name)) known?.sent.add(name);
  }

  #open(show: ShowOfCaller): Known {
    const key = keyOf(show);
    const known = this.#known.get(key) ?? { byKind: new Map(), unsent: new Set(), sent: new Set() };
    if (!this.#known.has(key)) this.#known.set(key, known);
    return known;
  }
}

const keyOf = ({ caller, action }: ShowOfCaller): string => `${caller} ${action}`;
const valueKeyOf = ({ has }: ObjectKind, name: string): string => `${name} ${has}`;
