// Measures documents and rejects those beyond the limits, before they are validated.
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  Lexer,
  type SelectionSetNode,
  Source,
  TokenKind,
  visit,
} from 'graphql';
import type { DocumentLimits } from '../limits.ts';

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

/** Rejects a text that the parser should not see. @throws DocumentLimitError when it is too long or too deeply nested. */
export function checkText(text: string, limits: DocumentLimits): void {
  const lexer = new Lexer(new Source(text));
  let depth = 0;
  for (let tokens = 1; lexer.advance().kind !== TokenKind.EOF; tokens += 1) {
    const { kind } = lexer.token;
    if (OPENING_BRACKETS.has(kind)) depth += 1;
    else if (CLOSING_BRACKETS.has(kind)) depth -= 1;
    if (depth > limits.brackets)
      throw new DocumentLimitError(`The document is nested more than ${limits.brackets} levels deep.`);
    if (tokens > limits.tokens)
      throw new DocumentLimitError(`The document has more than ${limits.tokens} tokens.`);
  }
}

/** Rejects a parsed document. @throws DocumentLimitError when it exceeds a limit; the message names the limit. */
export function checkDocument(document: DocumentNode, limits: DocumentLimits): void {
  const { aliases, directives, fragments } = countNodes(document);
  reject('aliases', aliases, limits.aliases);
  reject('directives', directives, limits.directives);
  reject('fragments', fragments.size, limits.fragments);
  const measure = createMeasure(fragments);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { depth, fields } = measure(definition.selectionSet);
    reject('levels of fields', depth, limits.depth);
    reject('fields at the top of an operation', fields, limits.rootFields);
  }
}

function reject(what: string, found: number, limit: number): void {
  if (found > limit)
    throw new DocumentLimitError(
      `The document has ${found} ${what}; at most ${limit} are allowed. Split it.`,
    );
}

function countNodes(document: DocumentNode) {
  let aliases = 0;
  let directives = 0;
  const fragments = new Map<string, FragmentDefinitionNode>();
  visit(document, {
    Field: (node) => {
      if (node.alias) aliases += 1;
    },
    Directive: () => {
      directives += 1;
    },
    FragmentDefinition: (node) => {
      fragments.set(node.name.value, node);
    },
  });
  return { aliases, directives, fragments };
}

interface SelectionSize {
  /** Levels of fields. */
  readonly depth: number;
  /** Fields of the first level. Fields with the same response name count separately. */
  readonly fields: number;
}

const EMPTY: SelectionSize = { depth: 0, fields: 0 };

/** Measures each fragment once. A cycle of fragments, which validation reports later, ends at its first repetition. */
function createMeasure(fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
  const sizes = new Map<string, SelectionSize>();
  const measureFragment = (name: string): SelectionSize => {
    const known = sizes.get(name);
    if (known !== undefined) return known;
    sizes.set(name, EMPTY);
    const fragment = fragments.get(name);
    const size = fragment ? measure(fragment.selectionSet) : EMPTY;
    sizes.set(name, size);
    return size;
  };
  const measure = ({ selections }: SelectionSetNode): SelectionSize => {
    let depth = 0;
    let fields = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        fields += 1;
        depth = Math.max(depth, 1 + (selection.selectionSet ? measure(selection.selectionSet).depth : 0));
        continue;
      }
      const size =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? measureFragment(selection.name.value)
          : measure(selection.selectionSet);
      depth = Math.max(depth, size.depth);
      fields += size.fields;
    }
    return { depth, fields };
  };
  return measure;
}
