// Caches schemas by description, within limits on what descriptions may take of the process.
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Observer } from '../telemetry/observer.ts';
import { type ActionStateResource, findActionStates } from '../upstream/actions/action-state-api.ts';
import type { Description, Finding } from '../upstream/description/description.ts';
import type { DescriptionText } from '../upstream/description/description-source.ts';
import { parsingSteps } from '../upstream/description/parse-description.ts';
import { anonymousDescription } from '../upstream/description/select-actions.ts';
import { DescriptionError, OptiongraphError } from '../upstream/errors.ts';
import { runInSlices, type Steps } from '../upstream/steps.ts';
import { assemblySteps, type PlannedSchema, planSteps } from './assemble.ts';
import type { SchemaExtension } from './builder.ts';
import { collectTexts, type SchemaTexts } from './descriptions/schema-texts.ts';
import { type Exposure, exposeActions } from './exposure.ts';
import type { OperatorPlan } from './model/operator-plan.ts';
import type { Overrides } from './model/overrides.ts';
import type { SessionUser } from './model/session-user.ts';
import type { SchemaAddition } from './schema-addition.ts';

/** The schema of a description with the data that is needed to serve it. */
export interface ServedSchema extends PlannedSchema {
  /** Identifies the description, the part of it that the schema contains, and the operator's description. */
  readonly fingerprint: string;
  /** Whether the schema contains the whole description, or only what anonymous callers may use. */
  readonly part: Part;
  /** What the API describes, also what clients may not use. */
  readonly description: Description;
  /** The actions that watch running actions for clients. */
  readonly actionStates: ActionStateResource;
  /** The override `writes`. */
  readonly writes: NonNullable<Overrides['writes']>;
  /** The user of sessions by the whole description, if the schema contains a part of it. */
  readonly sessionUser: SessionUser | null;
}

/** The part of a description that a schema contains. */
type Part = 'whole' | 'open';

/** What schemas are assembled from, in addition to descriptions. */
export interface RegistryOptions extends Exposure {
  /** Finds the facts that a description lacks; default: there are none. */
  readonly overridesFor?: ((description: Description) => Overrides) | undefined;
  readonly extensions?: readonly SchemaExtension[] | undefined;
  readonly addition?: SchemaAddition | undefined;
  /** Called for each finding that is added while a schema is served. */
  readonly onLateFinding?: ((finding: Finding) => void) | undefined;
  readonly observer?: Observer | undefined;
  /** Default: `DEFAULT_DESCRIPTION_LIMITS`. */
  readonly limits?: Partial<DescriptionLimits> | undefined;
}

/** Caches one schema for each description and evicts the least recently used. Callers with the same description share a schema. */
export class SchemaRegistry {
  readonly #options: RegistryOptions;
  readonly #limits: DescriptionLimits;
  readonly #served: LRUCache<string, ServedSchema>;
  /** Schemas are assembled one at a time. */
  readonly #queue = pLimit(1);

  constructor(options: RegistryOptions = {}) {
    this.#options = options;
    this.#limits = { ...DEFAULT_DESCRIPTION_LIMITS, ...options.limits };
    this.#served = new LRUCache({ max: this.#limits.cachedSchemas, maxSize: this.#limits.cachedLength });
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
   * Returns the schema of a description. Assembles it if it is not cached, in slices between which the process serves other work.
   * @param part `open` contains only what anonymous callers may use, even if the description contains more.
   * @param operator The schema of the operator's description, which decides types and names. Null: this is the operator's description.
   * @throws DescriptionError when the description is invalid or exceeds the limits.
   */
  async schemaFor(
    text: DescriptionText,
    part: Part,
    operator: ServedSchema | null = null,
  ): Promise<ServedSchema> {
    const own = ownFingerprint(text, part);
    // A caller with the operator's description has the operator's schema.
    const isOperators = operator === null || own === operator.fingerprint;
    const fingerprint = isOperators ? own : `${own} ${operator.fingerprint}`;
    const plan = isOperators ? undefined : operator.plan;
    return this.#served.get(fingerprint) ?? this.#queue(() => this.#assemble(fingerprint, text, part, plan));
  }

  /**
   * Returns the texts of a schema in the language of another description, which the same rights get. They are not cached. Null where
   * the other description is the same.
   * @throws DescriptionError when the other description is invalid, exceeds the limits, or has another shape.
   */
  async textsFor(served: ServedSchema, text: DescriptionText): Promise<SchemaTexts | null> {
    const { part, plan } = served;
    const own = ownFingerprint(text, part);
    if (served.fingerprint === own || served.fingerprint.startsWith(`${own} `)) return null;
    return this.#queue(async () => {
      const other = await this.#observed(text, part, plan);
      const texts = await runInSlices(collectTexts(served, other, own));
      if (texts !== null) return texts;
      throw new DescriptionError('The description in another language differs in more than its texts.');
    });
  }

  async #assemble(
    fingerprint: string,
    text: DescriptionText,
    part: Part,
    operator: OperatorPlan | undefined,
  ): Promise<ServedSchema> {
    // An earlier call in the queue may have assembled it.
    const cached = this.#served.get(fingerprint);
    if (cached !== undefined) return cached;
    const served = { fingerprint, ...(await this.#observed(text, part, operator)) };
    this.#served.set(fingerprint, served, { size: Math.max(1, text.length) });
    return served;
  }

  /** Assembles a schema, and reports it. */
  async #observed(text: DescriptionText, part: Part, operator: OperatorPlan | undefined) {
    const startedAt = performance.now();
    const end = this.#options.observer?.assembly?.({ length: text.length });
    let problem: string | null = null;
    try {
      return await runInSlices(this.#steps(text, part, operator));
    } catch (error) {
      problem = error instanceof OptiongraphError ? error.message : 'an internal error';
      throw error;
    } finally {
      end?.({ problem, duration: performance.now() - startedAt });
    }
  }

  *#steps(
    text: DescriptionText,
    part: Part,
    operator: OperatorPlan | undefined,
  ): Steps<Omit<ServedSchema, 'fingerprint'>> {
    const { length, actions } = this.#limits;
    if (text.length > length)
      throw new DescriptionError(
        `The description has ${text.length} characters; the maximum that is served is ${length}.`,
      );
    const raw = text.read();
    yield;
    const whole = yield* parsingSteps(raw, actions);
    const description = part === 'whole' ? whole : anonymousDescription(whole);
    const exposed = exposeActions(description, this.#options);
    const { readOnly = false } = this.#options;
    // Actions that are not exposed show what the API is, too.
    const overrides = this.#options.overridesFor?.(whole) ?? {};
    // What the API describes to anonymous callers is no secret, also where they may not use it.
    const plan =
      part === 'open'
        ? yield* planSteps(exposeActions(whole, this.#options), { ...this.#options, overrides })
        : null;
    const sessionUser = plan?.user ?? null;
    // A type that only a hidden action returns would be unreachable.
    const isReduced = part === 'open' || readOnly || exposed !== description;
    const types = isReduced ? 'reachable' : 'all';
    const assembled = yield* assemblySteps(exposed, {
      ...this.#options,
      overrides,
      types,
      readOnly,
      operator: operator ?? plan ?? undefined,
      sessionUser,
    });
    const { writes = {} } = overrides;
    return {
      part,
      description,
      sessionUser,
      writes,
      actionStates: findActionStates(exposed.resources),
      ...assembled,
    };
  }
}

const ownFingerprint = ({ fingerprint }: DescriptionText, part: Part): string => `${part} ${fingerprint}`;

/** What descriptions may take of the process. */
export interface DescriptionLimits {
  /** Longest description, in characters. A longer one is refused. */
  readonly length: number;
  /** Number of actions of a description. One with more is refused. */
  readonly actions: number;
  /**
   * Total length, in characters, of the descriptions whose schemas are cached. A schema takes about eleven bytes of heap for each
   * character (`npm run bench -- assembly`), so the default is about 350 MB, or 20 schemas of 436 actions of a production API.
   */
  readonly cachedLength: number;
  /** Number of cached schemas. */
  readonly cachedSchemas: number;
}

/** The limits without configuration. */
export const DEFAULT_DESCRIPTION_LIMITS: DescriptionLimits = Object.freeze({
  length: 32_000_000,
  actions: 20_000,
  cachedLength: 32_000_000,
  cachedSchemas: 1000,
});
