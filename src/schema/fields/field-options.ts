// Builds the Pothos options of fields whose types are known only from the description.
import type { Action } from '../../upstream/description/description.ts';
import type { Resolve } from '../builder.ts';
import { describeAction } from '../descriptions/descriptions.ts';
import { ofAction } from '../origin.ts';
import type { EntityRef } from '../types/object-fields.ts';
import { nullable } from '../types/outputs.ts';

/** Returns the Pothos options of a field that calls an action. The casts are needed because TypeScript does not know its type. */
export function fieldOptions<Args>(type: unknown, args: Args, action: Action, resolve: Resolve) {
  return {
    type: type as EntityRef,
    nullable: nullable(type),
    args,
    description: describeAction(action),
    ...ofAction(action),
    ...(action.deprecated === null ? {} : { deprecationReason: action.deprecated }),
    resolve: resolve as never,
  };
}
