// Finds and validates `@defer` and `@stream`, which graphql-js 16 does not know.
import {
  type ASTVisitor,
  BREAK,
  type DirectiveNode,
  type DocumentNode,
  GraphQLError,
  getNullableType,
  isListType,
  Kind,
  type ValidationContext,
  visit,
} from 'graphql';
import { DEFER, STREAM } from '../../schema/incremental-directives.ts';

const known = new WeakMap<DocumentNode, boolean>();

/** Whether a document has the directives `@defer` or `@stream`. */
export function isIncremental(document: DocumentNode): boolean {
  const earlier = known.get(document);
  if (earlier !== undefined) return earlier;
  let isFound = false;
  visit(document, {
    Directive({ name }) {
      if (name.value !== DEFER.name && name.value !== STREAM.name) return undefined;
      isFound = true;
      return BREAK;
    },
  });
  known.set(document, isFound);
  return isFound;
}

/**
 * Demands what the GraphQL specification does of `@defer` and `@stream`: labels are unique and no variables, only lists are streamed,
 * and the fields of a mutation's or subscription's root arrive at once.
 */
export function incrementalRule(context: ValidationContext): ASTVisitor {
  const labels = new Map<string, DirectiveNode>();
  return {
    Directive(node) {
      const name = node.name.value;
      if (name !== DEFER.name && name !== STREAM.name) return;
      const report = (problem: string, ...others: readonly DirectiveNode[]): void =>
        context.reportError(new GraphQLError(`"@${name}" ${problem}`, { nodes: [...others, node] }));

      const label = node.arguments?.find((argument) => argument.name.value === 'label')?.value;
      if (label?.kind === Kind.VARIABLE) report('needs a label that is no variable.');
      if (label?.kind === Kind.STRING) {
        const same = labels.get(label.value);
        if (same === undefined) labels.set(label.value, node);
        else report('needs a label of its own; another directive has the same.', same);
      }
      const count = node.arguments?.find((argument) => argument.name.value === 'initialCount')?.value;
      if (count?.kind === Kind.INT && count.value.startsWith('-'))
        report('needs an initialCount of 0 or more.');
      if (name === STREAM.name && !isListType(getNullableType(context.getType())))
        report('can be used on lists only.');
      const root = context.getParentType();
      const schema = context.getSchema();
      if (root && (root === schema.getMutationType() || root === schema.getSubscriptionType()))
        report(`cannot be used on the root type ${root.name}.`);
    },
  };
}
