// Limits what clients may use: by globs of the scopes of actions, and to reads.
import type { Description } from '../upstream/description/description.ts';
import { keepActions, listActions } from '../upstream/description/select-actions.ts';

/**
 * What clients may use. In a glob, `**` stands for any text and `*` for text without `.` and `#`: `book#*` matches the actions
 * of a resource, `book.**` those of all resources below it, `**#delete` all actions of a name.
 */
export interface Exposure {
  /** Globs of the scopes of the actions to serve; default: all. Those that sign in need no glob. */
  readonly expose?: readonly string[];
  /** Globs of the scopes of actions to leave out, also of those that sign in; default: none. They prevail over `expose`. */
  readonly hide?: readonly string[];
  /** Whether to leave out all mutations, those that sign in included; default: false. */
  readonly readOnly?: boolean;
}

/**
 * Leaves out the actions that clients may not use, as if the API did not describe them. A glob that matches nothing becomes a
 * finding, because it may be a typing error.
 */
export function exposeActions(description: Description, { expose, hide = [] }: Exposure): Description {
  if (expose === undefined && hide.length === 0) return description;
  const patterns = new Map([...(expose ?? []), ...hide].map((glob) => [glob, toPattern(glob)]));
  const matches = (globs: readonly string[], scope: string): boolean =>
    globs.some((glob) => patterns.get(glob)?.test(scope));
  const scopes = listActions(description).map(({ scope }) => scope);
  const unmatched = [...patterns.keys()].filter((glob) => !scopes.some((scope) => matches([glob], scope)));
  const reason = 'no scope of a described action matches this glob of `expose` or `hide`';
  const limited = keepActions(
    description,
    ({ scope }, signsIn) =>
      (signsIn || expose === undefined || matches(expose, scope)) && !matches(hide, scope),
  );
  const findings = unmatched.map((path) => ({ code: 'GLOB_UNMATCHED', path, reason }));
  return { ...limited, findings: [...description.findings, ...findings] };
}

function toPattern(glob: string): RegExp {
  const parts = glob.split(/(\*\*?)/).map((part) => {
    if (part === '**') return '.*';
    return part === '*' ? '[^.#]*' : part.replace(/[\\^$.+?()[\]{}|]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}
