// Describes why a blocking action failed.
import type { Operation } from '../../loaders/operation.ts';
import { ACTION_STATE } from '../../upstream/actions/action-state-api.ts';
import type { Action, ResourceParameter } from '../../upstream/description/description.ts';
import { isObject, type JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assembly.ts';
import { actionStateResources } from '../fields/subscriptions.ts';
import { returnsList, toList } from '../model/list-paging.ts';
import { findAction, pathKey } from '../model/model.ts';
import type { FailedSteps } from '../model/overrides.ts';
import { readInteger } from '../types/outputs.ts';
import type { UserErrorShape } from './field-errors.ts';

/** Creates the user error of a failed action from its last state. */
export type FailureExplainer = (state: JsonObject, operation: Operation) => Promise<UserErrorShape>;

/** Maximum number of steps that are requested. */
const MAX_STEPS = 100;

/** A list of steps and its parameters for one action. */
interface StepList extends FailedSteps {
  readonly action: Action;
  /** The input parameter that filters by the ID of the action state. */
  readonly filter: ResourceParameter;
  /** The output parameter with the ID of the action state. */
  readonly owner: ResourceParameter;
}

/**
 * Creates a function that describes the failure of an action: its label, its progress and its first failed step. To find the
 * step, the function reads the lists that the overrides declare, one call each, until one contains it. The message omits the
 * step if no list can be read.
 */
export function createFailureExplainer(assembly: Assembly): FailureExplainer {
  const lists = createStepLists(assembly);
  return async (state, operation) => {
    let step: string | null = null;
    for (const list of lists) step ??= await readFailedStep(list, state, operation).catch(() => null);
    const message = `${describeFailure(state)}${step === null ? '' : ` Failed step: ${step}`}`;
    return { message, code: 'ACTION_FAILED', path: null, parameter: null };
  };
}

function describeFailure({ label, current, total, unit }: JsonObject): string {
  const action = isText(label) ? `The action ${JSON.stringify(label)}` : 'The action';
  const [done, whole] = [readInteger(current), readInteger(total)];
  if (done === undefined || whole === undefined || whole <= 0) return `${action} failed.`;
  return `${action} failed at ${done} of ${whole}${isText(unit) ? ` ${unit}` : ''}.`;
}

function createStepLists(assembly: Assembly): readonly StepList[] {
  const { model, overrides, report } = assembly;
  const stateResources = new Set([
    ACTION_STATE,
    ...actionStateResources(assembly).map(({ path }) => pathKey(path)),
  ]);
  return Object.entries(overrides.failedSteps ?? {}).flatMap(([scope, steps]) => {
    const [path = '', name = ''] = scope.split('#');
    const action = findAction(model.get(path)?.reads ?? [], name);
    // The list may be missing only because this caller has no right to it.
    if (action === null) return [];
    const filter = findReference(action.input.parameters, stateResources);
    const owner = findReference(action.output.parameters, stateResources);
    if (filter !== null && owner !== null && isUsable(action, steps))
      return [{ ...steps, action, filter, owner }];
    const reason =
      'cannot be used to find failed steps: it must be a list without path parameters, with a filter and an output parameter that refer to the action, the output parameters of "where", and an output parameter "message" that is an unprotected text; left out';
    report.add('OVERRIDE_UNUSABLE', scope, reason);
    return [];
  });
}

/** Returns the first association that refers to an action state or to a resource that shares its IDs. */
function findReference(
  parameters: Action['input']['parameters'],
  stateResources: ReadonlySet<string>,
): ResourceParameter | null {
  const found = parameters.find(
    (parameter) => parameter.type === 'Resource' && stateResources.has(pathKey(parameter.resource)),
  );
  return found?.type === 'Resource' ? found : null;
}

function isUsable(action: Action, { where, message }: FailedSteps): boolean {
  const outputs = new Map(action.output.parameters.map((parameter) => [parameter.name, parameter]));
  const text = outputs.get(message);
  const isPublicText = (text?.type === 'String' || text?.type === 'Text') && !text.protected;
  const isRootList = returnsList(action) && action.path.placeholders.length === 0;
  return isRootList && isPublicText && Object.keys(where).every((name) => outputs.has(name));
}

/** Returns the message of the first failed step. Later steps may have failed because of it. */
async function readFailedStep(
  list: StepList,
  state: JsonObject,
  operation: Operation,
): Promise<string | null> {
  const { action, filter, where, message } = list;
  const parameterNames = new Set(action.input.parameters.map(({ name }) => name));
  const limit = Math.min(MAX_STEPS, toList(action).cap);
  const candidates = { [filter.name]: state['id'], ...where, limit };
  const input = Object.fromEntries(Object.entries(candidates).filter(([name]) => parameterNames.has(name)));
  const { output } = await operation.calls.read(
    { action, path: [], input, meta: {} },
    { reason: 'FAILED_STEP', fields: [] },
  );
  const rows = Array.isArray(output)
    ? output.filter((row: JsonObject) => isFailedStep(list, row, state))
    : [];
  const [first] = rows.sort((a, b) => (readInteger(a['id']) ?? 0) - (readInteger(b['id']) ?? 0));
  const text = first?.[message];
  return isText(text) ? text : null;
}

/** Verifies that a row is a failed step of this action, because servers may ignore filters silently. */
function isFailedStep({ owner, where }: StepList, row: JsonObject, state: JsonObject): boolean {
  const association = row[owner.name];
  const id = isObject(association) ? association[owner.valueId] : association;
  if (id === undefined || id === null || String(id) !== String(state['id'])) return false;
  return Object.entries(where).every(([name, value]) => String(row[name]) === String(value));
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
