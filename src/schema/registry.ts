// Caches schemas by description, within limits on what descriptions may take of the process.
import { LRUCache } from 'lru-cache';
import type { Observer } from '../observer.ts';
import { type ActionStateResource, findActionStates } from '../upstream/actions/action-state-api.ts';
import type { Description } from '../upstream/description/description.ts';
import type { DescriptionText } from '../upstream/description/description-source.ts';
import { parseDescription } from '../upstream/description/parse-description.ts';
import { anonymousDescription, listActions } from '../upstream/description/select-actions.ts';
import { DescriptionError, OptiongraphError } from '../upstream/errors.ts';
import { type Assembled, type AssembledSchema, type AssemblyOptions, assemble } from './assemble.ts';
import { type Exposure, exposeActions } from './exposure.ts';
import type { CallerAction } from './fields/session-field.ts';
import type { Overrides } from './model/overrides.ts';
import { extendDescription } from './rights/extend-description.ts';
import { findVisibleParts } from './rights/visible-parts.ts';

/** The schema of a description with the data that is needed to serve it. */
export interface ServedSchema extends AssembledSchema {
  /** Identifies the description, the part of it that the schema contains, and the operator's description. */
  readonly fingerprint: string;
  /** Whether the schema contains the whole description, or only what anonymous callers may use. */
  readonly part: Part;
  /** What the API describes to the caller, also what clients may not use. */
  readonly description: Description;
  /** The scopes of its actions, the only ones that are called for the caller. */
  readonly scopes: ReadonlySet<string>;
  /** The actions that watch running actions for clients. */
  readonly actionStates: ActionStateResource;
  /** Answers the current user; null where the caller has no such action. */
  readonly callerAction: CallerAction | null;
  /** What the schema, and those of callers with fewer rights, are made of. */
  readonly basis: Basis;
}

/** An assembled schema and its description without what clients may not use. */
interface Basis {
  readonly exposed: Description;
  readonly assembled: Assembled;
}

/** The part of a description that a schema contains. */
type Part = 'whole' | 'open';

/** What schemas are assembled from, in addition to descriptions. */
interface RegistryOptions
  extends Exposure,
    Pick<AssemblyOptions, 'extensions' | 'addition' | 'onLateFinding'> {
  /** Finds the facts that a description lacks; default: there are none. */
  readonly overridesFor?: ((description: Description) => Overrides) | undefined;
  readonly observer?: Observer | undefined;
  /** Default: `DEFAULT_DESCRIPTION_LIMITS`. */
  readonly limits?: Partial<DescriptionLimits> | undefined;
}

/** Caches one schema for each description and evicts the least recently used. Callers with the same description share a schema. */
export class SchemaRegistry {
  readonly #options: RegistryOptions;
  readonly #limits: DescriptionLimits;
  readonly #served: LRUCache<string, ServedSchema>;

  constructor(options: RegistryOptions = {}) {
    this.#options = options;
    this.#limits = { ...DEFAULT_DESCRIPTION_LIMITS, ...options.limits };
    this.#served = new LRUCache({
      max: this.#limits.cachedSchemas,
      maxSize: this.#limits.cachedDescriptions,
    });
  }

  /** The cached schemas. */
  get schemas(): readonly ServedSchema[] {
    return [...this.#served.values()];
  }

  /** Characters of the descriptions of the cached schemas. */
  get characters(): number {
    return this.#served.calculatedSize;
  }

  /** Returns the cached schema with a fingerprint. */
  get(fingerprint: string): ServedSchema | undefined {
    return this.#served.get(fingerprint);
  }

  /**
   * Returns the schema of a description, from the cache if it is there. A caller who lacks parts of the operator's description gets
   * that schema without them, in some milliseconds. Otherwise the schema is assembled, which takes some tenths of a second for a large
   * description.
   * @param part `open` contains only what anonymous callers may use, even if the description contains more.
   * @param operator The schema of the operator's description, which decides types and names. Null: this is the operator's description.
   * @throws DescriptionError when the description is invalid or exceeds the limits.
   */
  schemaFor(text: DescriptionText, part: Part, operator: ServedSchema | null = null): ServedSchema {
    const own = `${part} ${text.fingerprint}`;
    // A caller with the operator's description has the operator's schema.
    const isOperators = operator === null || own === operator.fingerprint;
    const fingerprint = isOperators ? own : `${own} ${operator.fingerprint}`;
    const cached = this.#served.get(fingerprint);
    if (cached !== undefined) return cached;
    const startedAt = performance.now();
    const end = this.#options.observer?.assembly?.({ length: text.length });
    let problem: string | null = null;
    try {
      const served = this.#serve(text, part, fingerprint, operator?.basis ?? null);
      this.#served.set(fingerprint, served, { size: Math.max(1, text.length) });
      return served;
    } catch (error) {
      problem = error instanceof OptiongraphError ? error.message : 'an internal error';
      throw error;
    } finally {
      end?.({ problem, duration: performance.now() - startedAt });
    }
  }

  #serve(text: DescriptionText, part: Part, fingerprint: string, operators: Basis | null): ServedSchema {
    const { descriptionLength, describedActions } = this.#limits;
    if (text.length > descriptionLength)
      throw new DescriptionError(
        `The description has ${text.length} characters; the maximum that is served is ${descriptionLength}.`,
      );
    const whole = parseDescription(text.read(), describedActions);
    const description = part === 'whole' ? whole : anonymousDescription(whole);
    const basis = this.#basisOf(whole, operators);
    const { assembled } = basis;
    const exposed = exposeActions(description, this.#options);
    const { callerAction } = assembled;
    // What the API describes to anonymous callers is no secret, also where they may not use it.
    const user = callerAction && { path: callerAction.resource.path, description: whole };
    const parts = findVisibleParts(basis.exposed, exposed, user);
    const hasUser = callerAction !== null && parts.scopes.has(callerAction.action.scope);
    return {
      fingerprint,
      part,
      description,
      scopes: new Set(listActions(description).map(({ scope }) => scope)),
      schema: parts.isWhole ? assembled.schema : assembled.schemaWith(parts),
      findings: assembled.findings,
      callerAction: hasUser ? callerAction : null,
      actionStates: findActionStates(exposed.resources),
      basis,
    };
  }

  /** Assembles the schema of a description, and of what the operator has beside it; the operator's if that has all. */
  #basisOf(whole: Description, operators: Basis | null): Basis {
    const own = exposeActions(whole, this.#options);
    const exposed = operators === null ? own : extendDescription(operators.exposed, own);
    if (exposed === operators?.exposed) return operators;
    // Actions that are not exposed show what the API is, too.
    const overrides = this.#options.overridesFor?.(whole) ?? {};
    // A type that only a hidden action returns would be unreachable.
    const isReduced = this.#options.readOnly === true || own !== whole;
    const types = isReduced ? 'reachable' : 'all';
    return { exposed, assembled: assemble(exposed, { ...this.#options, overrides, types }) };
  }
}

/** What descriptions may take of the process. */
export interface DescriptionLimits {
  /** Longest description, in characters. A longer one is refused. */
  readonly descriptionLength: number;
  /** Number of actions of a description. One with more is refused. */
  readonly describedActions: number;
  /**
   * Total length, in characters, of the descriptions whose schemas are cached. A schema takes about eleven bytes of heap for each
   * character, so the default is about 350 MB, or 20 schemas of 436 actions of a production API.
   */
  readonly cachedDescriptions: number;
  /** Number of cached schemas. */
  readonly cachedSchemas: number;
}

/** The limits without configuration. */
export const DEFAULT_DESCRIPTION_LIMITS: DescriptionLimits = Object.freeze({
  descriptionLength: 32_000_000,
  describedActions: 20_000,
  cachedDescriptions: 32_000_000,
  cachedSchemas: 1000,
});
