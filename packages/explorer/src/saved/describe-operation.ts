// Reads from a document what lists of operations show of it.
import {
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
  parse,
  TokenKind,
} from 'graphql';

/** What is shown of a document: of its first operation. */
export interface OperationFacts {
  readonly type: `${OperationTypeNode}`;
  /** Null for an operation without a name. */
  readonly name: string | null;
  /** The description of the operation, or else the comment above it; empty for none. */
  readonly description: string;
  /** Names of the variables that need a value. */
  readonly requiredVariables: readonly string[];
}

/** Describes a document. @throws GraphQLError when it is incomplete, or has no operation. */
export function describeOperation(query: string): OperationFacts {
  const operation = parse(query).definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operation === undefined) throw new GraphQLError('It has no operation.');
  const { name, description, variableDefinitions = [] } = operation;
  return {
    type: operation.operation,
    name: name?.value ?? null,
    description: description?.value ?? commentAbove(operation),
    requiredVariables: variableDefinitions.flatMap(({ type, defaultValue, variable }) =>
      type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined ? [variable.name.value] : [],
    ),
  };
}

/** The same for a document that need not be complete; null then. */
export function tryDescribe(query: string): OperationFacts | null {
  try {
    return describeOperation(query);
  } catch {
    return null;
  }
}

function commentAbove({ loc }: OperationDefinitionNode): string {
  const lines: string[] = [];
  for (let token = loc?.startToken.prev; token?.kind === TokenKind.COMMENT; token = token.prev)
    lines.unshift(token.value.trim());
  return lines.join(' ');
}
