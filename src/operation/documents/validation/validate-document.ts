// Validates documents as graphql-js does, in steps.
import {
  type ASTVisitor,
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getEnterLeaveForKind,
  getNullableType,
  isListType,
  Kind,
  KnownTypeNamesRule,
  type OperationDefinitionNode,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  TypeInfo,
  ValidationContext,
  type ValidationRule,
} from 'graphql';
import { DEFER, STREAM } from '../../../schema/incremental-directives.ts';
import { STEP_WORK, type Steps, WorkCounter } from '../../../upstream/steps.ts';
import { DocumentLimitError, WorkBudget } from '../document-size.ts';
import { FieldConflicts } from './field-conflicts.ts';
import { type NodeVisitor, RuleVisitor, visitInSteps } from './visit-document.ts';

/** Errors after which nothing more is validated: further ones help nobody, and each takes time, for example to find resembling names. */
export const MAX_ERRORS = 5;
/** Fragments, spreads and variables that rules may look up, as in graphql-js: operations repeat those of their fragments. */
const MAX_LOOK_UPS = 50_000;

/** The rules of graphql-js. `FieldConflicts` stands for the one whose single steps can take long. */
const RULES: readonly ValidationRule[] = [
  ...specifiedRules
    .filter((rule) => rule !== OverlappingFieldsCanBeMergedRule)
    .map((rule) => (rule === KnownTypeNamesRule ? knownTypeNamesRule : rule)),
  incrementalRule,
];

/** Ends a validation that has found enough. */
class EnoughErrors extends Error {}

/**
 * Validates a document by the rules of the specification. Finds the errors that `validate` of graphql-js finds, in the same order, and
 * stops where it does.
 */
export function* validationSteps(
  schema: GraphQLSchema,
  document: DocumentNode,
): Steps<readonly GraphQLError[]> {
  const errors: GraphQLError[] = [];
  const work = new WorkCounter();
  const types = new TypeInfo(schema);
  const context = new Context(schema, document, types, work, (error) => {
    if (errors.length === MAX_ERRORS) throw new EnoughErrors();
    errors.push(error);
    // A rule may have compared an unknown name with all names of the schema.
    work.add(STEP_WORK);
  });
  const visitor = new RuleVisitor(
    types,
    RULES.map((rule) => rule(context)),
    new FieldConflicts(context, work),
  );
  try {
    for (const definition of document.definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION || definition.kind === Kind.OPERATION_DEFINITION)
        yield* context.findVariables(definition);
    yield* visitInSteps(document, visitor, work);
  } catch (error) {
    if (error instanceof EnoughErrors)
      errors.push(new GraphQLError('Too many validation errors, error limit reached. Validation aborted.'));
    else if (error instanceof DocumentLimitError) errors.push(error);
    else throw error;
  }
  return errors;
}

/** Finds unknown types as graphql-js does. That one lists all types for each document, which took most of the time of a short one. */
function knownTypeNamesRule(context: ValidationContext): ASTVisitor {
  const schema = context.getSchema();
  let rule: ASTVisitor | undefined;
  return {
    NamedType(...visited) {
      const [node] = visited;
      if (schema.getType(node.name.value) !== undefined) return;
      rule ??= KnownTypeNamesRule(context);
      getEnterLeaveForKind(rule, Kind.NAMED_TYPE).enter?.(...visited);
    },
  };
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

type WithSelection = OperationDefinitionNode | FragmentDefinitionNode;
type VariableUsages = ReturnType<ValidationContext['getVariableUsages']>;

/** What rules know of a document. graphql-js would find the variables of a whole operation in one step. */
class Context extends ValidationContext {
  readonly #variables = new Map<WithSelection, VariableUsages>();
  readonly #work: WorkCounter;
  readonly #lookUps: WorkBudget;

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    types: TypeInfo,
    work: WorkCounter,
    onError: (error: GraphQLError) => void,
  ) {
    super(schema, document, types, onError);
    this.#work = work;
    this.#lookUps = new WorkBudget(MAX_LOOK_UPS, work);
  }

  /** Finds where a definition uses variables. */
  *findVariables(definition: WithSelection): Steps<void> {
    const types = new TypeInfo(this.getSchema());
    const usages: VariableUsages[number][] = [];
    const visitor: NodeVisitor = {
      enter(node, key) {
        types.enter(node);
        // Below the key `variable`, it is defined.
        if (node.kind !== Kind.VARIABLE || key === 'variable') return undefined;
        usages.push({
          node,
          type: types.getInputType(),
          defaultValue: types.getDefaultValue(),
          parentType: types.getParentInputType(),
        });
        return undefined;
      },
      leave: (node) => types.leave(node),
    };
    yield* visitInSteps(definition, visitor, this.#work);
    this.#variables.set(definition, usages);
  }

  override getVariableUsages(definition: WithSelection): VariableUsages {
    return this.#variables.get(definition) ?? [];
  }

  override spendFragmentWork(lookUps: number): void {
    this.#lookUps.spend(lookUps);
  }
}
