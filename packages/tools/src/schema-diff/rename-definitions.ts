// Gives the elements of a schema, and those that a document uses, the names of a later schema.
import {
  type ASTNode,
  buildASTSchema,
  type DocumentNode,
  type GraphQLSchema,
  type NameNode,
  parse,
  visit,
} from 'graphql';
import { printSDL } from '../../../../src/index.ts';
import type { Renames } from './renames.ts';
import type { UsedElement } from './used-elements.ts';

/** Returns a schema that differs from the later schema by all but names. */
export function renameDefinitions(schema: GraphQLSchema, renames: Renames): GraphQLSchema {
  const path: string[] = [];
  const host = {
    enter({ name }: { readonly name: NameNode }): void {
      path.push(name.value);
    },
    leave<N extends ASTNode>(node: N): N {
      const renamed = withName(node, renames.get(path.join('.')));
      path.pop();
      return renamed;
    },
  };
  const document = visit(parse(printSDL(schema)), {
    NamedType: (node) => withName(node, renames.get(node.name.value)),
    ObjectTypeDefinition: host,
    InterfaceTypeDefinition: host,
    InputObjectTypeDefinition: host,
    EnumTypeDefinition: host,
    DirectiveDefinition: host,
    FieldDefinition: host,
    InputValueDefinition: host,
    EnumValueDefinition: host,
  });
  return buildASTSchema(document);
}

/** Returns a document that has the later names. The positions of its parts, and the names of its results, stay. */
export function renameUses(
  document: DocumentNode,
  used: readonly UsedElement[],
  renames: Renames,
): DocumentNode {
  const names = new Map(used.map(({ node, coordinate }) => [node, renames.get(coordinate)]));
  return visit(document, { enter: (node) => withName(node, names.get(node)) });
}

/** @param coordinate That of the later schema; undefined where the name stays. */
function withName<N extends ASTNode>(node: N, coordinate: string | undefined): N {
  const value = coordinate?.split('.').at(-1);
  if (value === undefined) return node;
  if (node.kind === 'EnumValue') return { ...node, value };
  if (!('name' in node) || node.name === undefined) return node;
  const alias = node.kind === 'Field' ? { alias: node.alias ?? node.name } : {};
  return { ...node, ...alias, name: { ...node.name, value } };
}
