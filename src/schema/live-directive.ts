// Defines the directive of live queries. It is made with the same graphql-js as the schema, which refuses that of another copy.
import { DirectiveLocation, GraphQLBoolean, GraphQLDirective, GraphQLFloat, GraphQLNonNull } from 'graphql';

/** Lets a query send a new result whenever the result differs. */
export const LIVE = new GraphQLDirective({
  name: 'live',
  description:
    'Sends the result of the query at once, and then again whenever it differs, over WebSockets and server-sent events.',
  locations: [DirectiveLocation.QUERY],
  args: {
    if: {
      type: new GraphQLNonNull(GraphQLBoolean),
      description: 'Whether the query is live. If not, it has one result.',
      defaultValue: true,
    },
    interval: {
      type: GraphQLFloat,
      description:
        'The number of seconds from the end of one execution to the next. The server has a default and bounds.',
    },
  },
});
