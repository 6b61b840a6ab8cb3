// Finds and validates `@defer` and `@stream`, which graphql-js 16 does not know.
import {
  type ASTVisitor,
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

/** A directive that lets a part of the result arrive later. */
export interface IncrementalDirective {
  /** Name of the variable that says how many items arrive first. */
  readonly countVariable: string | null;
}

const known = new WeakMap<DocumentNode, readonly IncrementalDirective[]>();

/** Finds the directives `@defer` and `@stream` of a document. */
export function findIncrementalDirectives(document: DocumentNode): readonly IncrementalDirective[] {
  const earlier = known.get(document);
  if (earlier !== undefined) return earlier;
  const directives: IncrementalDirective[] = [];
  visit(document, {
    Directive({ name, arguments: args }) {
      if (name.value !== DEFER.name && name.value !== STREAM.name) return;
      const count = args?.find((argument) => argument.name.value === 'initialCount')?.value;
      directives.push({ countVariable: count?.kind === Kind.VARIABLE ? count.name.value : null });
    },
  });
  known.set(document, directives);
  return directives;
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
