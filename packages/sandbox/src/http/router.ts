// Finds the actions at a path.
import type { Action } from '../engine/definition.ts';

/** The actions of a path, and the values of its placeholders. */
export interface Route {
  /** By HTTP method. */
  readonly actions: ReadonlyMap<string, Action>;
  readonly pathParams: readonly string[];
}

interface RouteNode {
  readonly literals: Map<string, RouteNode>;
  placeholder: RouteNode | null;
  readonly actions: Map<string, Action>;
}

/** Creates a function that finds the actions at a path of decoded segments. A literal takes precedence over a placeholder. */
export function createRouter(actions: readonly Action[]): (segments: readonly string[]) => Route | undefined {
  const root = createNode();
  for (const action of actions) {
    let node = root;
    for (const segment of action.path.split('/').slice(1)) node = findOrCreateChild(node, segment);
    node.actions.set(action.method, action);
  }

  function find(
    node: RouteNode,
    segments: readonly string[],
    pathParams: readonly string[],
  ): Route | undefined {
    const [segment, ...rest] = segments;
    if (segment === undefined)
      return node.actions.size > 0 ? { actions: node.actions, pathParams } : undefined;
    const literal = node.literals.get(segment);
    const found = literal && find(literal, rest, pathParams);
    if (found || !node.placeholder || segment === '') return found;
    return find(node.placeholder, rest, [...pathParams, segment]);
  }

  return (segments) => find(root, segments, []);
}

function findOrCreateChild(node: RouteNode, segment: string): RouteNode {
  if (segment.startsWith('{')) {
    node.placeholder ??= createNode();
    return node.placeholder;
  }
  const literal = node.literals.get(segment) ?? createNode();
  node.literals.set(segment, literal);
  return literal;
}

function createNode(): RouteNode {
  return { literals: new Map(), placeholder: null, actions: new Map() };
}
