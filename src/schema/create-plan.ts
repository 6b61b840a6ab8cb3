// Creates the plan that decides types and names in the schemas of all callers.

import type { Description } from '../upstream/description/description.ts';
import type { Model } from './model/model.ts';
import type { OperatorPlan } from './model/operator-plan.ts';
import type { Overrides } from './model/overrides.ts';
import { References } from './model/references.ts';
import type { Report } from './model/report.ts';
import { findSessionUser } from './model/session-user.ts';
import { findEdges, nameEdges } from './names/edge-names.ts';
import type { ReservedNames } from './names/naming.ts';
import { ownFieldsOf } from './names/own-fields.ts';
import type { TypeNames } from './names/type-names.ts';

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
