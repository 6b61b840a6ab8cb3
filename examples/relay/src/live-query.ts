// Tells Relay that a query has several results, so that its stream ends with the component that reads it.
import {
  type ConcreteRequest,
  type GraphQLTaggedNode,
  getRequest,
  type RequestParameters,
} from 'relay-runtime';

/** Returns the query as one that Relay's hooks and the network know as live. Call it once, outside of components. */
export function toLiveQuery(query: GraphQLTaggedNode): ConcreteRequest {
  const request = getRequest(query);
  const { params } = request;
  return { ...request, params: { ...params, metadata: { ...params.metadata, live: {} } } };
}

/** Whether the network sends a query as a stream. */
export const isLive = ({ metadata }: RequestParameters): boolean => 'live' in metadata;
