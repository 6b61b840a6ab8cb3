// Adds a field of the documentation to the text of an operation.
import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isScalarType,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { tryParse } from './find-operation.ts';
import type { TextEdit } from './text-edit.ts';

/** A field of a type, as the documentation shows it. */
export interface DocumentedField {
  readonly type: GraphQLNamedType;
  readonly field: GraphQLField<unknown, unknown>;
}

/**
 * Makes the edit that adds a field to a document: to the selection of its type that contains the cursor, else to the first one. A field of
 * the root gets an operation of its own where there is none. Null where the document selects no object of the type, or cannot be parsed.
 * @param cursor Offset into the text.
 */
export function addField(
  schema: GraphQLSchema,
  text: string,
  { type, field }: DocumentedField,
  cursor: number,
): TextEdit | null {
  const kind = rootKindOf(schema, type);
  // GraphiQL opens new tabs with comments only.
  const isEmpty = /^(\s|#.*)*$/.test(text);
  const document = isEmpty ? null : tryParse(text);
  if (document === null && !isEmpty) return null;
  const place = document === null ? null : findSelection(schema, document, type, cursor);
  if (place?.loc !== undefined) return addTo(place, text, field);
  if (kind === null) return null;
  const gap = text.trim() === '' ? '' : `${text.endsWith('\n') ? '' : '\n'}\n`;
  // Of several operations, each needs a name.
  const name = document === null ? '' : ` ${field.name.charAt(0).toUpperCase()}${field.name.slice(1)}`;
  return {
    start: text.length,
    end: text.length,
    text: `${gap}${kind}${name} {\n  ${write(field, '  ')}\n}\n`,
  };
}

/** The kind of operations whose root a type is; null for other types. */
const rootKindOf = (schema: GraphQLSchema, type: GraphQLNamedType): OperationTypeNode | null =>
  Object.values(OperationTypeNode).find((kind) => schema.getRootType(kind) === type) ?? null;

function findSelection(
  schema: GraphQLSchema,
  document: DocumentNode,
  type: GraphQLNamedType,
  cursor: number,
): SelectionSetNode | null {
  const found: SelectionSetNode[] = [];
  const info = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(info, {
      SelectionSet: (selection) => {
        if (info.getParentType() === type) found.push(selection);
      },
    }),
  );
  const around = found.filter(({ loc }) => loc !== undefined && loc.start <= cursor && cursor <= loc.end);
  return around.at(-1) ?? found[0] ?? null;
}

function addTo(selection: SelectionSetNode, text: string, field: DocumentedField['field']): TextEdit {
  const at = (selection.loc?.end ?? 1) - 1;
  const last = selection.selections.at(-1)?.loc;
  const lineStart = (offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;
  const indentAt = (offset: number): string => /^[ \t]*/.exec(text.slice(lineStart(offset)))?.[0] ?? '';
  if (last !== undefined && lineStart(last.end) === lineStart(at)) {
    // On one line.
    const gap = /\s$/.test(text.slice(0, at)) ? '' : ' ';
    return { start: at, end: at, text: `${gap}${write(field, indentAt(at))} ` };
  }
  const indent = indentAt(last?.start ?? at);
  const end = last?.end ?? at;
  return { start: end, end, text: `\n${indent}${write(field, indent)}` };
}

/** Writes a field with values for its required arguments, and with a selection that makes it valid. */
function write(field: DocumentedField['field'], indent: string): string {
  const args = field.args
    .filter(isRequiredArgument)
    .map(({ name, type }) => `${name}: ${writeValue(type)}`)
    .join(', ');
  return `${field.name}${args === '' ? '' : `(${args})`}${writeSelection(getNamedType(field.type), indent)}`;
}

function writeSelection(type: GraphQLNamedType, indent: string): string {
  if (!isCompositeType(type)) return '';
  const { nodes, ...fields } = isObjectType(type) ? type.getFields() : {};
  const inner = `${indent}  `;
  const written =
    nodes === undefined
      ? 'id' in fields
        ? 'id'
        : '__typename'
      : `nodes${writeSelection(getNamedType(nodes.type), inner)}`;
  return ` {\n${inner}${written}\n${indent}}`;
}

/** A value to be replaced. */
function writeValue(type: GraphQLInputType): string {
  const named = getNamedType(type);
  if (isListType('ofType' in type ? type.ofType : type)) return '[]';
  if (isEnumType(named)) return named.getValues()[0]?.name ?? 'null';
  if (isInputObjectType(named)) {
    const required = Object.values(named.getFields()).filter(isRequiredInputField);
    return `{ ${required.map((one) => `${one.name}: ${writeValue(one.type)}`).join(', ')} }`.replace(
      '{  }',
      '{}',
    );
  }
  if (!isScalarType(named)) return 'null';
  const literals: Readonly<Record<string, string>> = { Int: '0', SafeInt: '0', Float: '0', Boolean: 'false' };
  return literals[named.name] ?? '""';
}

/** The fields that a document selects of a type, anywhere. */
export function selectedFields(
  schema: GraphQLSchema,
  text: string,
  type: GraphQLNamedType,
): ReadonlySet<string> {
  const names = new Set<string>();
  const document = tryParse(text);
  if (document === null) return names;
  const info = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(info, {
      SelectionSet: ({ selections }) => {
        if (info.getParentType() !== type) return;
        for (const selection of selections)
          if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      },
    }),
  );
  return names;
}
