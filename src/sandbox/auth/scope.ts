/**
 * What a credential is restricted to: patterns of action scopes, one of which has to cover an action that needs a
 * credential.
 * - `dataset.snapshot#create`: that action
 * - `dataset#*`: every action of a resource
 * - `dataset.*#index`: an action of every resource nested in one, at any depth
 * - `*#show`: an action of every resource
 * - `all`: everything
 */
export type Scope = readonly string[];

/** No restriction. */
export const everything: Scope = ['all'];

/** No action that needs a credential, but for the token's own. */
export const nothing: Scope = [];

const pattern = /^(\*|[a-z0-9_]+(\.[a-z0-9_]+)*(\.\*)?)#(\*|[a-z0-9_]+)$/;

/** The token's own actions, which no scope can take away: whoever holds a token may always renew and revoke it. */
const own: Scope = ['token#*'];

/** Reads patterns separated by spaces; undefined when there are none or one of them is malformed. */
export function parseScope(text: string): Scope | undefined {
  const patterns = text.split(' ').filter((part) => part !== '');
  const readable = patterns.length > 0 && patterns.every((part) => part === 'all' || pattern.test(part));
  return readable ? patterns : undefined;
}

/** The text that `parseScope` reads. */
export function formatScope(scope: Scope): string {
  return scope.join(' ');
}

/** Whether a credential of this scope may be used for an action, given by the action's scope. */
export function permits(scope: Scope, action: string): boolean {
  return [...scope, ...own].some((granted) => covers(granted, action));
}

/** Whether a scope holds nothing that another does not hold (RFC 6749, section 6). */
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
