// Builds the Pothos options of fields whose types are known only from the description.
import type { Action } from '../../upstream/description/description.ts';
import { UpstreamProtocolError } from '../../upstream/errors.ts';
import type { Resolve } from '../builder.ts';
import { describeAction } from '../descriptions/descriptions.ts';
import { ofAction } from '../origin.ts';
import type { EntityRef } from './object-fields.ts';

/** Pothos cannot know whether a field is a list. A list and its items are nullable. */
export const nullable = (type: unknown): true =>
  (Array.isArray(type) ? { list: true, items: true } : true) as true;

/** Returns the options of a field that calls an action. The casts are needed because TypeScript does not know its type. */
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

/** Adds to the options of a field that it is null only with an error. Printed schemas show the directive `@semanticNonNull`. */
export const nullOnlyWithError = <T extends { readonly extensions: object }>(options: T) => ({
  ...options,
  extensions: { ...options.extensions, directives: { semanticNonNull: {} } },
});

/** @throws UpstreamProtocolError when a value is null. */
export function refuseNull<T>(value: T, coordinate: string): T {
  if (value !== null && value !== undefined) return value;
  throw new UpstreamProtocolError(
    `The management API returned no value for ${coordinate} that the schema can show, although it is described as required. If that is usual, set "nonNull": { "${coordinate}": false } in the overrides.`,
  );
}
