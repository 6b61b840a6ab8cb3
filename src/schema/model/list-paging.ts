// Derives from a description how lists page.
import type { List, ListOrder } from '../../loaders/paging/list.ts';
import type { Action, Parameter } from '../../upstream/description/description.ts';

/** Paging parameters of lists. Clients cannot set them directly. */
const PAGING_PARAMETERS: ReadonlySet<string> = new Set(['from_id', 'offset', 'limit']);

/** Whether an action returns a list. */
export function returnsList(action: Action): boolean {
  return action.output.layout.endsWith('_list');
}

/** Whether an action returns a list of described objects. */
export function returnsRows(action: Action): boolean {
  return returnsList(action) && action.output.parameters.length > 0;
}

/** Whether a list is served as a connection: each `index`, and other reads with paging parameters. */
export function isConnection(action: Action): boolean {
  if (!returnsList(action)) return false;
  const names = new Set(action.input.parameters.map(({ name }) => name));
  return action.name === 'index' || (names.has('limit') && (names.has('from_id') || names.has('offset')));
}

/**
 * Derives how a list pages from its input and output parameters.
 * @param filterNames Names of its filters, for messages. Default: those of the parameters.
 * @param declaredOrder The order that the operator declares.
 */
export function toList(
  action: Action,
  filterNames: readonly string[] = filterParameters(action).map(({ name }) => name),
  declaredOrder: ListOrder | null = null,
): List {
  const parameters = new Map(action.input.parameters.map((parameter) => [parameter.name, parameter]));
  const limit = parameters.get('limit');
  const hasIds = action.output.parameters.some(({ name, type }) => name === 'id' && type === 'Integer');
  const byId = hasIds && parameters.has('from_id');
  const byPlace = byId ? 'keyset' : parameters.has('offset') ? 'offset' : 'prefix';
  const described = limit === undefined || limit.type === 'Resource' ? null : limit;
  const max = described?.validators.number?.max;
  return {
    action,
    paging: limit === undefined ? 'prefix' : byPlace,
    declaredOrder,
    takesLimit: limit !== undefined,
    cap: typeof max === 'number' && max >= 1 ? Math.floor(max) : Number.POSITIVE_INFINITY,
    hasDefaultLimit: described !== null && described.default !== null,
    filterNames,
  };
}

/** Returns the input parameters of a list except those for paging. */
export function filterParameters(action: Action): readonly Parameter[] {
  return action.input.parameters.filter(({ name }) => !PAGING_PARAMETERS.has(name));
}
