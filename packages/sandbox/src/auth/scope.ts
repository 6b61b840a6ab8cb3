// Matches scopes: patterns of the actions that a credential may be used for.

/**
 * The actions that a credential may be used for, as patterns of action scopes. An action that needs a credential must
 * match at least one pattern.
 * - `dataset.snapshot#create`: that action
 * - `dataset#*`: every action of a resource
 * - `dataset.*#index`: an action of every resource below a resource, at any depth
 * - `*#show`: an action of every resource
 * - `all`: every action
 */
export type Scope = readonly string[];

/** The scope without a restriction. */
export const FULL_SCOPE: Scope = ['all'];

/** The scope that permits, of the actions that need a credential, only those of the token itself. */
export const EMPTY_SCOPE: Scope = [];

const PATTERN = /^(\*|[a-z0-9_]+(\.[a-z0-9_]+)*(\.\*)?)#(\*|[a-z0-9_]+)$/;

/** The actions that every scope permits: each token can be renewed and revoked. */
const TOKEN_ACTIONS: Scope = ['token#*'];

/** Parses patterns that are separated by spaces. Undefined when there are none or one is malformed. */
export function parseScope(text: string): Scope | undefined {
  const patterns = text.split(' ').filter((part) => part !== '');
  const isValid = patterns.length > 0 && patterns.every((part) => part === 'all' || PATTERN.test(part));
  return isValid ? patterns : undefined;
}

/** Formats a scope for `parseScope`. */
export function formatScope(scope: Scope): string {
  return scope.join(' ');
}

/** Whether a scope permits an action, which is given by its scope. */
export function permits(scope: Scope, action: string): boolean {
  return [...scope, ...TOKEN_ACTIONS].some((granted) => covers(granted, action));
}

/** Whether a wide scope permits everything that a narrow scope permits (RFC 6749, section 6). */
export function isWithin(narrow: Scope, wide: Scope): boolean {
  return narrow.every((wanted) => wide.some((granted) => covers(granted, wanted)));
}

function covers(granted: string, wanted: string): boolean {
  if (granted === 'all') return true;
  if (wanted === 'all') return granted === '*#*';
  const [resource = '', action] = granted.split('#');
  const [wantedResource = '', wantedAction] = wanted.split('#');
  if (action !== '*' && action !== wantedAction) return false;
  if (resource === '*' || resource === wantedResource) return true;
  return resource.endsWith('.*') && wantedResource.startsWith(resource.slice(0, -1));
}
