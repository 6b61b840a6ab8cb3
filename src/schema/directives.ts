// Defines the directives of schemas. They are made with the same graphql-js as the schema, which refuses those of another copy.
import { buildASTSchema, type GraphQLDirective, parse } from 'graphql';

const defined = buildASTSchema(
  parse(`
    "Directs the executor to defer this fragment when the \`if\` argument is true or undefined."
    directive @defer(
      "Deferred when true or undefined."
      if: Boolean! = true
      "Unique name"
      label: String
    ) on FRAGMENT_SPREAD | INLINE_FRAGMENT

    "Directs the executor to stream plural fields when the \`if\` argument is true or undefined."
    directive @stream(
      "Stream when true or undefined."
      if: Boolean! = true
      "Unique name"
      label: String
      "Number of items to return immediately"
      initialCount: Int = 0
    ) on FIELD

    "Sends the result of the query at once, and then again whenever it differs, over WebSockets and server-sent events."
    directive @live(
      "Whether the query is live. If not, it has one result."
      if: Boolean! = true
      "The number of seconds from the end of one execution to the next. The server has a default and bounds."
      interval: Float
    ) on QUERY

    "The field is null only if an error is reported for it. Clients that handle errors can treat it as non-null."
    directive @semanticNonNull(
      "The levels of lists to which the directive applies: 0 is the field itself."
      levels: [Int] = [0]
    ) on FIELD_DEFINITION
  `),
);

const named = (name: string): GraphQLDirective => defined.getDirective(name) as GraphQLDirective;

/** Lets a fragment come after the first part of a result. */
export const DEFER = named('defer');
/** Lets the items of a list come after the first part of a result. */
export const STREAM = named('stream');
/** Lets a query send a new result whenever the result differs. */
export const LIVE = named('live');
/** Marks a field that is null only with an error, as Relay, Apollo's clients and code generators read it. */
export const SEMANTIC_NON_NULL = named('semanticNonNull');
