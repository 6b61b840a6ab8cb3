// Decides types and names by the operator's description, so that they do not depend on the rights of callers.

import type { Action } from '../../upstream/description/description.ts';
import type { NamedEdge } from '../names/edge-names.ts';
import type { TypeNames } from '../names/type-names.ts';
import { findAction, type Model, pathKey, type ResourceModel } from './model.ts';
import type { References } from './references.ts';
import type { SessionUser } from './session-user.ts';

/** What the schema of the operator's description was planned from. It decides types and names in the schemas of all callers. */
export interface OperatorPlan {
  readonly model: Model;
  readonly names: TypeNames;
  readonly references: References;
  readonly edges: readonly NamedEdge[];
  /** See `nameEdges`. */
  readonly edgeNames: ReadonlyMap<string, string>;
  /** The user of sessions. Null where the operator has no action that answers it. */
  readonly user: SessionUser | null;
}

/** Returns a resource as the operator's description has it, or null if it lacks the resource. */
export function forOperator({ model }: OperatorPlan, { path }: ResourceModel): ResourceModel | null {
  return model.get(pathKey(path)) ?? null;
}

/** Returns an action as the operator's description has it, or null if it lacks the action. */
export function actionForOperator(
  plan: OperatorPlan,
  resource: ResourceModel,
  { name }: Action,
): Action | null {
  return findAction(forOperator(plan, resource)?.actions ?? [], name);
}
