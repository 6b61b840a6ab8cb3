// Describes the user of a session for schemas whose callers have no action that answers it.
import type { Description, Parameter, ResourceParameter } from '../../upstream/description/description.ts';
import { findCallerAction } from './caller-action.ts';
import type { Model } from './model.ts';
import type { OperatorPlan } from './operator-plan.ts';
import { extrasOf } from './output-fit.ts';

/** What the sessions of an API say about their user. */
export interface SessionUser {
  /** The session's reference to the resource of users. Its type has `id`, `databaseId` and `label` because of it. */
  readonly reference: ResourceParameter;
  /** Further output parameters of the resource. */
  readonly parameters: readonly Parameter[];
}

/** Returns the user of sessions, if an action of a model can answer it. */
export function findSessionUser(description: Description, model: Model): SessionUser | null {
  const found = findCallerAction(description, model);
  if (found === null) return null;
  const { path, identity, label, parameters } = found.resource;
  if (extrasOf(found.resource, found.action, parameters)?.length !== 0) return null;
  const reference: ResourceParameter = {
    name: 'user',
    type: 'Resource',
    resource: path,
    valueId: identity.idParameter,
    valueLabel: label.parameters[0] ?? 'label',
    label: null,
    description: null,
    required: false,
    nullable: true,
    deprecated: null,
  };
  return { reference, parameters: [...parameters.values()] };
}

/** Returns the operator's user as far as every caller may know: that there is one, with an id and a label. */
export function userForAll(operator: OperatorPlan | undefined): SessionUser | null {
  return operator?.user ? { ...operator.user, parameters: [] } : null;
}
