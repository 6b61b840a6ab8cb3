// Marks fields that are null only with an error, by the directive `@semanticNonNull`.
import { DirectiveLocation, GraphQLDirective, GraphQLInt, GraphQLList } from 'graphql';
import { UpstreamProtocolError } from '../../upstream/errors.ts';

/** The directive as Relay, Apollo's clients and code generators read it. */
export const SEMANTIC_NON_NULL = new GraphQLDirective({
  name: 'semanticNonNull',
  description:
    'The field is null only if an error is reported for it. Clients that handle errors can treat it as non-null.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    levels: {
      type: new GraphQLList(GraphQLInt),
      defaultValue: [0],
      description: 'The levels of lists to which the directive applies: 0 is the field itself.',
    },
  },
});

/** Adds to the Pothos options of a field that it is null only with an error. Printed schemas show the directive. */
export const nullOnlyWithError = <T extends { readonly extensions: object }>(options: T) => ({
  ...options,
  extensions: { ...options.extensions, directives: { semanticNonNull: {} } },
});

/** @throws UpstreamProtocolError when a value is null. */
export function refuseNull<T>(value: T, coordinate: string): T {
  if (value !== null && value !== undefined) return value;
  throw new UpstreamProtocolError(
    `The management API returned no value for ${coordinate} that the schema can show, although it is described as required. If that is usual, set "nonNull": { "${coordinate}": false } in the overrides.`,
  );
}
