// Parses a description into its model and omits what is malformed.
import { DescriptionError } from '../errors.ts';
import { isCredentialHeader } from '../http/caller.ts';
import { type PathTemplate, parsePathTemplate } from '../http/request-path.ts';
import { entriesOf, isObject, isStringList, type JsonObject, kindOf, textOf } from '../json.ts';
import type {
  Action,
  AuthenticationMethods,
  Description,
  Finding,
  Layout,
  OAuthEndpoints,
  Parameter,
  Resource,
  Shape,
  ValueType,
} from './description.ts';
import { parseValidators } from './parse-validators.ts';

/** Longest path of a resource that is parsed. */
const MAX_DEPTH = 32;
const TOO_DEEP = `the path of the resource has more than ${MAX_DEPTH} parts`;

const LAYOUTS: ReadonlySet<unknown> = new Set<Layout>(['object', 'object_list', 'hash', 'hash_list']);
const VALUE_TYPES: ReadonlySet<unknown> = new Set<ValueType>([
  'String',
  'Text',
  'Boolean',
  'Integer',
  'Float',
  'Datetime',
  'Custom',
]);
const NO_PARAMETERS: Shape = { layout: 'hash', namespace: null, parameters: [] };

/** Descriptions say it at their beginning, also in brackets: `Deprecated, use …`, `[DEPRECATED] …`. */
const DEPRECATED_TEXT = /^[\s[(*]*deprecated\b/i;

/** What is said of a deprecation without a reason. */
const NO_REASON = 'The API describes it as deprecated.';

const isLayout = (value: unknown): value is Layout => LAYOUTS.has(value);
const isValueType = (value: unknown): value is ValueType => VALUE_TYPES.has(value);

/**
 * Parses the description of one version. Unknown keys are ignored. A malformed resource, action, parameter or validator is
 * omitted and listed in `findings`.
 * @param maxActions Number of actions that the description may have. Default: any number.
 * @throws DescriptionError when the value is not an object with a map of resources, or has more actions.
 */
export function parseDescription(raw: unknown, maxActions = Number.POSITIVE_INFINITY): Description {
  if (!isObject(raw) || !isObject(raw['resources'])) {
    throw new DescriptionError(
      `Expected a description with a map of resources, got ${isObject(raw) ? 'an object without one' : kindOf(raw)}.`,
    );
  }
  const parser = new DescriptionParser(maxActions);
  const resources = parser.parseResources(raw['resources'], []);
  const authentication = parser.parseAuthentication(raw['authentication']);
  const meta = isObject(raw['meta']) ? textOf(raw['meta']['namespace']) : null;
  return { authentication, resources, metaNamespace: meta ?? '_meta', findings: parser.findings };
}

class DescriptionParser {
  readonly findings: Finding[] = [];
  readonly #maxActions: number;
  #actions = 0;

  constructor(maxActions: number) {
    this.#maxActions = maxActions;
  }

  parseResources(raw: unknown, parent: readonly string[]): Resource[] {
    return entriesOf(raw).flatMap(([name, value]) => {
      const path = [...parent, name];
      const problem = isObject(value) ? null : `expected an object, got ${kindOf(value)}`;
      if (!isObject(value) || path.length > MAX_DEPTH) {
        this.#omit('RESOURCE_MALFORMED', path.join('.'), problem ?? TOO_DEEP);
        return [];
      }
      const actions = entriesOf(value['actions']).flatMap(
        ([action, described]) => this.#parseAction(described, path, action) ?? [],
      );
      const resources = this.parseResources(value['resources'], path);
      return [{ name, path, description: textOf(value['description']), actions, resources }];
    });
  }

  parseAuthentication(raw: unknown): AuthenticationMethods {
    const { basic, token, oauth2 } = isObject(raw) ? raw : {};
    const tokenHeader =
      token === undefined || token === null ? null : this.#parseHeader(token, 'authentication.token');
    // Tokens of OAuth 2.0 go into `Authorization` where no header is named.
    const namesHeader = isObject(oauth2) && textOf(oauth2['http_header']) !== null;
    const oauthHeader = namesHeader ? this.#parseHeader(oauth2, 'authentication.oauth2.http_header') : null;
    return {
      basic: isObject(basic),
      token:
        isObject(token) && tokenHeader !== null
          ? { httpHeader: tokenHeader, resources: this.parseResources(token['resources'], []) }
          : null,
      oauth2: isObject(oauth2) ? { httpHeader: oauthHeader, endpoints: parseEndpoints(oauth2) } : null,
    };
  }

  /** The header of a method; null, with a finding, where it names none that can carry a credential. */
  #parseHeader(method: unknown, place: string): string | null {
    const name = isObject(method) ? textOf(method['http_header']) : null;
    if (name !== null && isCredentialHeader(name)) return name;
    const problem =
      name === null
        ? 'it names no http_header'
        : `its http_header ${JSON.stringify(name)} cannot carry a credential`;
    return this.#omit('AUTHENTICATION_MALFORMED', place, problem);
  }

  #parseAction(raw: unknown, resource: readonly string[], name: string): Action | null {
    const scope = `${resource.join('.')}#${name}`;
    this.#actions += 1;
    if (this.#actions > this.#maxActions)
      throw new DescriptionError(
        `The description has more than ${this.#maxActions} actions, the maximum that is served.`,
      );
    const malformed = (reason: string): null => this.#omit('ACTION_MALFORMED', scope, reason);
    if (!isObject(raw)) return malformed(`expected an object, got ${kindOf(raw)}`);
    const method = textOf(raw['method']);
    if (method === null || !/^[A-Za-z]+$/.test(method)) return malformed('it has no HTTP method');
    const text = textOf(raw['path']);
    if (text === null) return malformed('it has no path');
    const path = parsePathTemplate(text);
    if (path === null)
      return malformed(`its path ${JSON.stringify(text)} is not a plain path on the API's own origin`);
    const input = this.#parseShape(raw['input'], `${scope} input`);
    const output = this.#parseShape(raw['output'], `${scope} output`);
    if (input === null || output === null) return malformed('its input or output has no known layout');
    return {
      name,
      resource,
      scope,
      description: textOf(raw['description']),
      deprecated: parseDeprecation(raw),
      auth: raw['auth'] !== false,
      blocking: raw['blocking'] === true,
      method: method.toUpperCase(),
      path: renameIdPlaceholder(path, resource),
      input,
      output,
      metaInput: parseMetaInput(raw['meta']),
    };
  }

  #parseShape(raw: unknown, place: string): Shape | null {
    if (raw === null || raw === undefined) return NO_PARAMETERS;
    if (!isObject(raw) || !isLayout(raw['layout'])) return null;
    const parameters = entriesOf(raw['parameters']).flatMap(([name, described]) => {
      const parsed = this.#parseParameter(described, name, `${place}.${name}`);
      return parsed === null ? [] : [parsed];
    });
    return { layout: raw['layout'], namespace: textOf(raw['namespace']), parameters };
  }

  #parseParameter(raw: unknown, name: string, place: string): Parameter | null {
    if (!isObject(raw)) {
      return this.#omit('PARAMETER_MALFORMED', place, `expected an object, got ${kindOf(raw)}`);
    }
    const base = {
      name,
      label: textOf(raw['label']),
      description: textOf(raw['description']),
      required: raw['required'] === true,
      nullable: typeof raw['nullable'] === 'boolean' ? raw['nullable'] : null,
      deprecated: parseDeprecation(raw),
    };
    if (raw['type'] === 'Resource') {
      const resource = raw['resource'];
      if (!isStringList(resource) || resource.length === 0) {
        return this.#omit('PARAMETER_MALFORMED', place, 'an association without the path of a resource');
      }
      if (resource.length > MAX_DEPTH) return this.#omit('PARAMETER_MALFORMED', place, TOO_DEEP);
      const valueId = textOf(raw['value_id']) ?? 'id';
      return {
        type: 'Resource',
        resource,
        valueId,
        valueLabel: textOf(raw['value_label']) ?? valueId,
        ...base,
      };
    }
    return {
      type: this.#parseType(raw['type'], place),
      validators: parseValidators(raw['validators'], (validator, reason) =>
        this.findings.push({ code: 'VALIDATOR_MALFORMED', path: `${place}.validators.${validator}`, reason }),
      ),
      default: raw['default'] ?? null,
      protected: raw['protected'] === true,
      ...base,
    };
  }

  #parseType(type: unknown, place: string): ValueType {
    if (isValueType(type)) return type;
    this.findings.push({
      code: 'TYPE_UNKNOWN',
      path: place,
      reason: `its type ${JSON.stringify(type ?? null)} is unknown to the protocol; served as JSON`,
    });
    return 'Custom';
  }

  #omit(code: string, path: string, reason: string): null {
    this.findings.push({ code, path, reason: `${reason}; left out` });
    return null;
  }
}

function parseMetaInput(meta: unknown): ReadonlySet<string> {
  const global = isObject(meta) ? meta['global'] : null;
  const input = isObject(global) ? global['input'] : null;
  return new Set(isObject(input) ? entriesOf(input['parameters']).map(([name]) => name) : []);
}

/** Renames the placeholder `id` to `<resource>_id`: older servers name only the ids of parents that way. */
function renameIdPlaceholder(path: PathTemplate, resource: readonly string[]): PathTemplate {
  const own = `${resource.at(-1)}_id`;
  if (path.placeholders.includes(own)) return path;
  return { ...path, placeholders: path.placeholders.map((name) => (name === 'id' ? own : name)) };
}

/** The addresses of the OAuth provider; null unless all are http or https URLs. */
function parseEndpoints(oauth2: JsonObject): OAuthEndpoints | null {
  const parseUrl = (key: string): string | null => {
    const text = textOf(oauth2[key]);
    return text !== null && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text : null;
  };
  const [authorize, token, revoke] = ['authorize_url', 'token_url', 'revoke_url'].map(parseUrl);
  return authorize && token && revoke ? { authorize, token, revoke } : null;
}

/** Returns why an action or parameter is deprecated: by its key `deprecated`, which may hold a reason, or by its text. Null if it is not. */
function parseDeprecation(raw: JsonObject): string | null {
  const { deprecated, description } = raw;
  const text = textOf(description)?.toWellFormed() ?? '';
  if (typeof deprecated === 'string' && deprecated.trim() !== '') return deprecated.toWellFormed();
  if (DEPRECATED_TEXT.test(text)) return text;
  return deprecated === true ? NO_REASON : null;
}
