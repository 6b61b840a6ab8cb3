// Finds the outputs that are ids of other objects although they are integers, and names the edges beside them.
import type { Parameter, ValueParameter } from '../../upstream/description/description.ts';
import { memo } from '../memo.ts';
import { fieldNameOf, outputNameOf } from '../names/naming.ts';
import { canBeId, sharedPlaceholders } from './keys.ts';
import { findAction, type Model, pathKey, type ResourceModel, targetOf } from './model.ts';
import type { NamedReference, Overrides } from './overrides.ts';
import type { Report } from './report.ts';

/** An edge beside an output that is the id of an object. */
export interface Reference {
  /** Name of the edge. */
  readonly name: string;
  /** The output that is the id. */
  readonly parameter: string;
  /** The dotted path of the object's resource, or the output whose text names the resource. */
  readonly target: string | NamedReference;
}

/** An output that may be the id of another object. */
interface Output {
  readonly typeName: string;
  readonly resource: ResourceModel;
  readonly parameter: Parameter;
  /** The outputs beside it. */
  readonly others: readonly Parameter[];
}

const ID_NAME = /^(?:raw_)?(.+)_id$/;
/** Words for an object of any resource. */
const ANY_OBJECT = ['object', 'resource', 'entity', 'record', 'row'];
/** Outputs that name the resource of such an object. */
const RESOURCE_NAMES = ['resource', 'object', 'class_name'];

/** Returns the name of an id's object, such as `author` of `author_id`; null for other names. */
export const referredNameOf = (parameter: string): string | null => ID_NAME.exec(parameter)?.[1] ?? null;

/** Returns the field name of an integer that is the id of an object beside it, e.g. `userDatabaseId`; null for another parameter. */
export function idFieldNameOf(
  { name, type }: Parameter,
  others: Iterable<Parameter>,
  references: readonly Reference[],
): string | null {
  const word = referredNameOf(name);
  if (word === null || type !== 'Integer') return null;
  const isBeside =
    references.some(({ parameter }) => parameter === name) ||
    [...others].some((other) => other.name === word && other.type === 'Resource');
  return isBeside ? databaseIdOf(word) : null;
}

const databaseIdOf = (word: string): string => fieldNameOf(word, 'database_id');

/** To what outputs refer, by their names. */
type Targets = ReadonlyMap<string, Reference['target']>;

/** The references of a description. */
export class References {
  readonly names: ResourceNames;
  /** Returns the references of an output that has a type of its own, by its parameters. */
  readonly inOutput = memo((typeName: string, resource: ResourceModel, parameters: readonly Parameter[]) =>
    nameReferences(this.#targetsOf(typeName, resource, parameters), parameters.map(outputNameOf)),
  );
  readonly #model: Model;
  readonly #overrides: NonNullable<Overrides['references']>;
  readonly #report: Report;
  readonly #ofObjects = new Map<ResourceModel, { targets: Targets; references: readonly Reference[] }>();

  /** @param ownFields The names of the other fields of objects, by resource. */
  constructor(
    model: Model,
    { references = {} }: Overrides,
    ownFields: ReadonlyMap<ResourceModel, ReadonlySet<string>>,
    report: Report,
  ) {
    this.#model = model;
    this.#overrides = references;
    this.#report = report;
    this.names = new ResourceNames(model);
    for (const [resource, taken] of ownFields) {
      const targets = this.#targetsOf(resource.typeName, resource, [...resource.parameters.values()]);
      this.#ofObjects.set(resource, { targets, references: nameReferences(targets, taken) });
    }
  }

  /** Returns the references of a resource's objects. */
  on(resource: ResourceModel): readonly Reference[] {
    return this.#ofObjects.get(resource)?.references ?? [];
  }

  /**
   * Returns the resource whose ids a filter of a resource's list takes as integers. Undefined if there is none, or if the list has a
   * filter by this resource, too.
   */
  targetOfFilter(resource: ResourceModel, { name, type }: Parameter): ResourceModel | undefined {
    const word = referredNameOf(name);
    if (type !== 'Integer' || word === null) return undefined;
    // Where rows have an output of this name, that decides.
    const known = this.#ofObjects.get(resource)?.targets.get(name);
    const isDecided = resource.parameters.has(name) || this.#isOfAny(word);
    const meant = isDecided ? null : this.names.find(resource, word);
    const target = typeof known === 'string' ? this.#model.get(known) : meant;
    // Only at the top is the integer the whole id.
    if (target?.parent !== null) return undefined;
    const filters = findAction(resource.reads, 'index')?.input.parameters ?? [];
    return filters.some((own) => targetOf(this.#model, own) === target) ? undefined : target;
  }

  /** Whether the word of an id stands for objects of any resource. */
  #isOfAny(word: string): boolean {
    return ANY_OBJECT.includes(word) && !this.#model.has(word);
  }

  /** Finds to what each of the outputs refers. Those that refer to nothing are left out. */
  #targetsOf(typeName: string, resource: ResourceModel, parameters: readonly Parameter[]): Targets {
    const overrideOf = (field: string) => this.#overrides[`${typeName}.${field}`];
    const targets = new Map<string, Reference['target']>();
    for (const parameter of parameters) {
      const output = { typeName, resource, parameter, others: parameters };
      const given =
        overrideOf(outputNameOf(parameter)) ?? overrideOf(databaseIdOf(referredNameOf(parameter.name) ?? ''));
      const target = given === undefined ? this.#derive(output) : this.#accept(output, given);
      if (target !== null) targets.set(parameter.name, target);
    }
    return targets;
  }

  /** Checks what an override says of an output. */
  #accept(output: Output, given: string | false | NamedReference): Reference['target'] | null {
    if (given === false) return null;
    const { resource, parameter, others } = output;
    if (canBeId(parameter)) {
      if (typeof given !== 'string' && findText(others, given.namedBy) !== null) return given;
      const target = typeof given === 'string' ? this.#model.get(given) : undefined;
      if (target !== undefined && isAddressable(resource, target)) return pathKey(target.path);
    }
    const reason = `"references" says that it is the id of ${JSON.stringify(given)}, which is no resource whose objects can be read by this id, and no text beside it; left out`;
    this.#report.add('OVERRIDE_UNUSABLE', coordinateOf(output), reason);
    return null;
  }

  /** Derives from the names of outputs to what one of them refers. */
  #derive(output: Output): Reference['target'] | null {
    const { typeName, resource, parameter, others } = output;
    if (parameter.type !== 'Integer' || parameter.protected) return null;
    const word = referredNameOf(parameter.name);
    if (word === null) {
      // Where its row has another type than the objects of the resource, an `id` may be that of any object.
      const isOfHit = parameter.name === 'id' && typeName !== resource.typeName;
      return isOfHit ? this.#namedBy(RESOURCE_NAMES, others) : null;
    }
    if (this.#isOfAny(word)) {
      const named = this.#namedBy([`${word}_type`, `${word}_class`, word, ...RESOURCE_NAMES], others);
      if (named === null && others.some(({ type }) => type === 'String'))
        this.#suggest(output, 'another output may name the resource', '{ "namedBy": "…" }');
      return named;
    }
    const target = this.names.find(resource, word);
    if (target === null) return null;
    const path = pathKey(target.path);
    if (!isWritten(resource, parameter)) return path;
    if (!resource.parameters.has(word))
      this.#suggest(output, 'a write sets this number, so the name may mean something else', `"${path}"`);
    return null;
  }

  #suggest(output: Output, why: string, target: string): void {
    const coordinate = coordinateOf(output);
    const reason = `it may be the id of an object, but ${why}; say so in the overrides: "references": { "${coordinate}": ${target} }, or false if it is none`;
    this.#report.add('REFERENCE_UNKNOWN', coordinate, reason);
  }

  /** Returns the first of the outputs that may name a resource. */
  #namedBy(names: readonly string[], outputs: readonly Parameter[]): NamedReference | null {
    const namedBy = names.find((name) => this.#mayNameResources(findText(outputs, name)));
    return namedBy === undefined ? null : { namedBy };
  }

  /** Whether a text may be the name of a resource: where its values are described, one of them is. */
  #mayNameResources(text: ValueParameter | null): boolean {
    if (text === null) return false;
    const { include } = text.validators;
    return include === undefined || include.values.some(({ value }) => this.names.named(value) !== null);
  }
}

const coordinateOf = ({ typeName, parameter }: Output): string => `${typeName}.${outputNameOf(parameter)}`;

const findText = (outputs: readonly Parameter[], name: string): ValueParameter | null =>
  outputs.find((output): output is ValueParameter => output.type === 'String' && output.name === name) ??
  null;

/** Names the edges. An edge whose name is taken is left out, except one to objects of any resource, which has a second name. */
function nameReferences(targets: Targets, ownFields: Iterable<string>): readonly Reference[] {
  const taken = new Set(ownFields);
  // `author_id` precedes `raw_author_id`.
  const sorted = [...targets].sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return sorted.flatMap(([parameter, target]) => {
    const word = referredNameOf(parameter);
    const names =
      typeof target === 'string'
        ? [fieldNameOf(word ?? target.split('.').at(-1) ?? '')]
        : [fieldNameOf(word ?? 'object'), fieldNameOf(word ?? 'object', 'node')];
    const name = names.find((wanted) => !taken.has(wanted));
    if (name === undefined) return [];
    taken.add(name);
    return [{ name, parameter, target }];
  });
}

/** Whether a write of the resource sets an output as a number. Inputs that are references have the type Resource. */
const isWritten = ({ writes }: ResourceModel, { name }: Parameter): boolean =>
  writes.some(({ input }) => input.parameters.some((own) => own.name === name && own.type === 'Integer'));

/** What the name of an id says about the role of its object, in front of the resource. */
const ROLE = /^(?:last|latest|first|current|previous|next|original|old|new|source|src|target|dst|parent)_/;

/** Whether an integer, and the ids of the parents that an object shares with its owner, are the ids of an object that can be read. */
function isAddressable(owner: ResourceModel, { identity }: ResourceModel): boolean {
  const { show, idPlaceholder, placeholders, valueTypes } = identity;
  if (show === null || idPlaceholder === null || valueTypes.get(idPlaceholder) !== 'integer') return false;
  return placeholders.length === sharedPlaceholders(owner.identity, identity).length + 1;
}

/** The resources of a model by their names. */
class ResourceNames {
  readonly #model: Model;
  /** Resources by the letters of their whole path, and of its last segment where no other resource has that. */
  readonly #byLetters: ReadonlyMap<string, ResourceModel | null>;

  constructor(model: Model) {
    this.#model = model;
    const byLetters = new Map<string, ResourceModel | null>();
    for (const resource of model.values()) {
      const last = lettersOf(resource.path.at(-1) ?? '');
      if (resource.path.length > 1) byLetters.set(last, byLetters.has(last) ? null : resource);
    }
    for (const resource of model.values()) byLetters.set(lettersOf(resource.path.join('')), resource);
    this.#byLetters = byLetters;
  }

  /** Returns the resource that a text names: by its path, its type, or its last segment if no other resource has this. */
  named(text: unknown): ResourceModel | null {
    return typeof text === 'string' ? (this.#byLetters.get(lettersOf(text)) ?? null) : null;
  }

  /**
   * Returns the resource that the word of an id means for the objects of an owner: what is below or above the owner precedes what
   * is elsewhere. Null if there is none, or if it cannot be read by an integer.
   */
  find(owner: ResourceModel, word: string): ResourceModel | null {
    const plain = this.#nearest(owner, word);
    // Without a role, the id of an own resource may be that of the object itself.
    if (plain !== null && pathKey(plain.path) === pathKey(owner.path)) return null;
    const found = plain ?? this.#nearest(owner, word.replace(ROLE, ''));
    return found !== null && isAddressable(owner, found) ? found : null;
  }

  #nearest({ path }: ResourceModel, word: string): ResourceModel | null {
    for (let depth = path.length; depth >= 0; depth -= 1) {
      const scope = path.slice(0, depth);
      const found =
        this.#model.get(pathKey([...scope, word])) ??
        this.#model.get([...scope, word].join('_')) ??
        (scope.at(-1) === word ? this.#model.get(pathKey(scope)) : undefined);
      if (found !== undefined) return found;
    }
    return this.named(word);
  }
}

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\d]/gu, '');
