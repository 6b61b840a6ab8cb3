import type { Operation } from '../../loaders/operation.ts';
import type { Action, ResourceParameter } from '../../upstream/description/description.ts';
import { isObject, type JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import { actionStateResources } from '../fields/action-state-resources.ts';
import { answersList, listOf } from '../model/list-paging.ts';
import { actionOf, pathKey } from '../model/model.ts';
import type { FailedSteps } from '../model/overrides.ts';
import { ACTION_STATE } from '../names/naming.ts';
import { readInteger } from '../types/outputs.ts';
import type { UserErrorShape } from './user-errors.ts';

/** Makes the user error of an action that failed, from its last state. */
export type FailureReasons = (state: JsonObject, operation: Operation) => Promise<UserErrorShape>;

/** Rows that one list of steps is asked for. */
const MAX_STEPS = 100;

/** A list of steps, and how it is asked for those of one action. */
interface StepList extends FailedSteps {
  readonly action: Action;
  /** The filter that takes the id of the action's state, and the output that repeats it. */
  readonly filter: ResourceParameter;
  readonly owner: ResourceParameter;
}

/**
 * Finds what a description and the overrides offer to say why an action failed: its label and progress, and its first failed
 * step, which costs a call for each declared list until one names it. A step that cannot be read is left out, whatever the
 * reason.
 */
export function createFailureReasons(assembly: Assembly): FailureReasons {
  const lists = stepLists(assembly);
  return async (state, operation) => {
    let step: string | null = null;
    for (const list of lists) step ??= await failedStep(list, state, operation).catch(() => null);
    const message = `${describeFailure(state)}${step === null ? '' : ` Failed step: ${step}`}`;
    return { message, code: 'ACTION_FAILED', path: null, parameter: null };
  };
}

function describeFailure({ label, current, total, unit }: JsonObject): string {
  const action = isText(label) ? `The action ${JSON.stringify(label)}` : 'The action';
  const [done, all] = [readInteger(current), readInteger(total)];
  if (done === undefined || all === undefined || all <= 0) return `${action} failed.`;
  return `${action} failed at ${done} of ${all}${isText(unit) ? ` ${unit}` : ''}.`;
}

function stepLists(assembly: Assembly): readonly StepList[] {
  const { model, overrides, report } = assembly;
  const owners = new Set([ACTION_STATE, ...actionStateResources(assembly).map(({ path }) => pathKey(path))]);
  return Object.entries(overrides.failedSteps ?? {}).flatMap(([scope, steps]) => {
    const [path = '', name = ''] = scope.split('#');
    const action = actionOf(model.get(path)?.reads ?? [], name);
    // Another caller may see the list.
    if (action === null) return [];
    const filter = ownerAmong(action.input.parameters, owners);
    const owner = ownerAmong(action.output.parameters, owners);
    if (filter !== null && owner !== null && isUsable(action, steps))
      return [{ ...steps, action, filter, owner }];
    const reason =
      'it cannot say why actions fail: it must be a list at the root with a filter and an output that refer to the action, the outputs of "where", and the output "message", a text that is not protected; left out';
    report.add('OVERRIDE_UNUSABLE', scope, reason);
    return [];
  });
}

function ownerAmong(
  parameters: Action['input']['parameters'],
  owners: ReadonlySet<string>,
): ResourceParameter | null {
  const found = parameters.find(
    (parameter) => parameter.type === 'Resource' && owners.has(pathKey(parameter.resource)),
  );
  return found?.type === 'Resource' ? found : null;
}

function isUsable(action: Action, { where, message }: FailedSteps): boolean {
  const outputs = new Map(action.output.parameters.map((parameter) => [parameter.name, parameter]));
  const text = outputs.get(message);
  const isPublicText = (text?.type === 'String' || text?.type === 'Text') && !text.protected;
  const isRootList = answersList(action) && action.path.placeholders.length === 0;
  return isRootList && isPublicText && Object.keys(where).every((name) => outputs.has(name));
}

/** What the first step that failed says. Later ones may have failed because of it. */
async function failedStep(list: StepList, state: JsonObject, operation: Operation): Promise<string | null> {
  const { action, filter, where, message } = list;
  const described = new Set(action.input.parameters.map(({ name }) => name));
  const limit = Math.min(MAX_STEPS, listOf(action).cap);
  const wanted = { [filter.name]: state['id'], ...where, limit };
  const input = Object.fromEntries(Object.entries(wanted).filter(([name]) => described.has(name)));
  const { output } = await operation.read({ action, path: [], input, meta: {} });
  const rows = Array.isArray(output)
    ? output.filter((row: JsonObject) => isFailedStep(list, row, state))
    : [];
  const [first] = rows.sort((a, b) => (readInteger(a['id']) ?? 0) - (readInteger(b['id']) ?? 0));
  const text = first?.[message];
  return isText(text) ? text : null;
}

/** Servers ignore filters silently, so each row has to say itself that it is a failed step of this action. */
function isFailedStep({ owner, where }: StepList, row: JsonObject, state: JsonObject): boolean {
  const association = row[owner.name];
  const id = isObject(association) ? association[owner.valueId] : association;
  if (id === undefined || id === null || String(id) !== String(state['id'])) return false;
  return Object.entries(where).every(([name, value]) => String(row[name]) === String(value));
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
