// Measures documents, and the JSON in which they are sent, and rejects what is beyond the limits before it is handled.
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  Lexer,
  type SelectionSetNode,
  Source,
  TokenKind,
} from 'graphql';
import { type Steps, WorkCounter } from '../../upstream/steps.ts';
import type { Limits } from '../limits.ts';

/** Characters of a name. Names become part of messages, and one message may contain many of them. */
const MAX_NAME = 256;

/** Levels of variables and extensions. A `JSON` input has fewer, with a message of its own. */
const MAX_LEVELS = 500;

/** Values that a request has beside its variables and extensions. */
const BESIDE = 100;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING = { bracket: 0x5b, brace: 0x7b } as const;
const CLOSING = { bracket: 0x5d, brace: 0x7d } as const;

const LINE_END = /\r\n|[\n\r]/g;

const OPENING_BRACKETS: ReadonlySet<string> = new Set([
  TokenKind.BRACE_L,
  TokenKind.BRACKET_L,
  TokenKind.PAREN_L,
]);
const CLOSING_BRACKETS: ReadonlySet<string> = new Set([
  TokenKind.BRACE_R,
  TokenKind.BRACKET_R,
  TokenKind.PAREN_R,
]);

/** A document is beyond a limit. */
export class DocumentLimitError extends GraphQLError {}

/**
 * Reads the tokens of a text, and rejects what the parser should not see: it handles brackets recursively, and cannot pause. Pauses
 * between tokens.
 * @returns What the parser reads the same tokens from.
 * @throws DocumentLimitError when it is too long or too deeply nested.
 */
export function* readTokens(text: string, limits: Limits['document']): Steps<Lexer> {
  if (text.length > limits.characters)
    throw new DocumentLimitError(
      `The document has more than ${limits.characters} characters. Send long values as variables.`,
    );
  checkLines(text, limits.lines);
  const lexer = new Lexer(new Source(text));
  const start = lexer.token;
  const work = new WorkCounter();
  let depth = 0;
  let directives = 0;
  for (let tokens = 1; lexer.advance().kind !== TokenKind.EOF; tokens += 1) {
    const { kind, start: from, end } = lexer.token;
    work.add(1);
    if (work.endsStep()) yield;
    if (OPENING_BRACKETS.has(kind)) depth += 1;
    else if (CLOSING_BRACKETS.has(kind)) depth -= 1;
    else if (kind === TokenKind.AT) directives += 1;
    else if (kind === TokenKind.NAME && end - from > MAX_NAME)
      throw new DocumentLimitError(`The document has a name of more than ${MAX_NAME} characters.`);
    if (depth > limits.brackets)
      throw new DocumentLimitError(`The document is nested more than ${limits.brackets} levels deep.`);
    if (tokens > limits.tokens)
      throw new DocumentLimitError(`The document has more than ${limits.tokens} tokens.`);
  }
  reject('directives', directives, limits.directives);
  lexer.lastToken = start;
  lexer.token = start;
  return lexer;
}

function checkLines(text: string, limit: number): void {
  let lines = 1;
  for (const _end of text.matchAll(LINE_END)) {
    lines += 1;
    if (lines > limit) throw new DocumentLimitError(`The document has more than ${limit} lines.`);
  }
}

/** Rejects a parsed document. @throws DocumentLimitError when it exceeds a limit; the message names the limit. */
export function checkDocument({ definitions }: DocumentNode, limits: Limits['document']): void {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  reject('fragments', fragments.length, limits.fragments);
  const measure = new Measure(fragments);
  for (const fragment of fragments) measure.measureFragment(fragment);
  const operations = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const sizes = operations.map(({ selectionSet }) => measure.measure(selectionSet));
  reject('aliases', measure.aliases, limits.aliases);
  for (const { depth, fields } of sizes) {
    reject('levels of fields', depth, limits.depth);
    reject('fields at the top of an operation', fields, limits.rootFields);
  }
}

/**
 * Rejects variables or extensions that graphql-js, which cannot pause, or a recursion over them could not handle, or that take much memory.
 * @throws DocumentLimitError
 */
export function checkValues(
  what: 'variables' | 'extensions',
  given: Readonly<Record<string, unknown>>,
  limits: Limits['document'],
): void {
  let values = 0;
  let found: object[] = [given];
  for (let levels = 0; found.length > 0; levels += 1) {
    if (levels > MAX_LEVELS) throw new DocumentLimitError(`The ${what} have more than ${MAX_LEVELS} levels.`);
    const below: object[] = [];
    for (const object of found)
      for (const value of Object.values(object)) {
        values += 1;
        if (values > limits.values)
          throw new DocumentLimitError(`The ${what} have more than ${limits.values} values. Split them.`);
        if (typeof value === 'object' && value !== null) below.push(value);
      }
    found = below;
  }
}

/**
 * Rejects a text with more values, or more levels of them, than a request can have: to parse a megabyte of brackets takes a third of a
 * second. It need not be JSON.
 * @param what For the message, such as `body`.
 * @throws DocumentLimitError
 */
export function checkJson(text: string, what: string, limits: Limits['document']): void {
  // Variables and extensions may have as many each.
  const most = 2 * limits.values + BESIDE;
  let values = 0;
  let levels = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === CLOSING.bracket || code === CLOSING.brace) levels -= 1;
    else if (code === COMMA) values += 1;
    else if (code === OPENING.bracket || code === OPENING.brace) {
      values += 1;
      levels += 1;
    }
    if (values > most) throw new DocumentLimitError(`The ${what} has more than ${most} values. Split it.`);
    if (levels > MAX_LEVELS + BESIDE)
      throw new DocumentLimitError(`The ${what} has more than ${MAX_LEVELS} levels.`);
  }
}

/** The place of the quotation mark that ends a string; that of the last character for a string without an end. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length - 1;
}

function reject(what: string, found: number, limit: number): void {
  if (found > limit)
    throw new DocumentLimitError(
      `The document has ${found} ${what}; at most ${limit} are allowed. Split it.`,
    );
}

interface SelectionSize {
  /** Levels of fields. */
  readonly depth: number;
  /** Fields of the first level. Fields with the same response name count separately. */
  readonly fields: number;
}

const EMPTY: SelectionSize = { depth: 0, fields: 0 };

/** Measures selection sets, those of fragments once. */
class Measure {
  /** Aliases in what has been measured. */
  aliases = 0;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #sizes = new Map<FragmentDefinitionNode, SelectionSize>();

  constructor(fragments: readonly FragmentDefinitionNode[]) {
    this.#fragments = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  }

  measureFragment(fragment: FragmentDefinitionNode): SelectionSize {
    const known = this.#sizes.get(fragment);
    if (known !== undefined) return known;
    // A cycle of fragments, which validation reports later, ends at its first repetition.
    this.#sizes.set(fragment, EMPTY);
    const size = this.measure(fragment.selectionSet);
    this.#sizes.set(fragment, size);
    return size;
  }

  measure({ selections }: SelectionSetNode): SelectionSize {
    let depth = 0;
    let fields = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        fields += 1;
        if (selection.alias) this.aliases += 1;
        depth = Math.max(
          depth,
          1 + (selection.selectionSet ? this.measure(selection.selectionSet).depth : 0),
        );
        continue;
      }
      const size =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? this.#measureSpread(selection.name.value)
          : this.measure(selection.selectionSet);
      depth = Math.max(depth, size.depth);
      fields += size.fields;
    }
    return { depth, fields };
  }

  #measureSpread(name: string): SelectionSize {
    const fragment = this.#fragments.get(name);
    return fragment === undefined ? EMPTY : this.measureFragment(fragment);
  }
}

/** Bounds and counts the work of a validation, which can grow much faster than the document. */
export class WorkBudget {
  #left: number;
  readonly #counter: WorkCounter;

  constructor(units: number, counter: WorkCounter) {
    this.#left = units;
    this.#counter = counter;
  }

  /** @throws DocumentLimitError when nothing is left. */
  spend(units: number): void {
    this.#counter.add(units);
    this.#left -= units;
    if (this.#left < 0)
      throw new DocumentLimitError(
        'Too many fields and fragments of the document overlap to validate it. Split it.',
      );
  }
}
