// Decides types and names by the operator's description, so that they do not depend on the rights of callers.
import type { Action, Description } from '../../upstream/description/description.ts';
import { findEdges, type NamedEdge, nameEdges } from '../names/edge-names.ts';
import type { ReservedNames } from '../names/naming.ts';
import { ownFieldsOf } from '../names/own-fields.ts';
import type { TypeNames } from '../names/type-names.ts';
import { findAction, type Model, pathKey, type ResourceModel } from './model.ts';
import type { Overrides } from './overrides.ts';
import { References } from './references.ts';
import type { Report } from './report.ts';
import { findSessionUser, type SessionUser } from './session-user.ts';

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

/** Creates the plan of the operator's description. */
export function createPlan(
  description: Description,
  { overrides, reserved, report }: { overrides: Overrides; reserved: ReservedNames; report: Report },
  model: Model,
  names: TypeNames,
): OperatorPlan {
  const ownFields = ownFieldsOf(model, reserved);
  const references = new References(model, overrides, ownFields, report);
  const edges = [...findEdges(model, references)];
  const edgeNames = nameEdges(edges, references, ownFields);
  return { model, names, references, edges, edgeNames, user: findSessionUser(description, model) };
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
