// Defines settings: flags, variables, the file's schema, help and documents follow from these definitions.
import * as z from 'zod';

/** How a setting is given and explained. */
export interface SettingTraits {
  /**
   * Environment variable; null: none. Default: `OPTIONGRAPH_` and the name of the flag, or else the key. Another name is only for what
   * platforms set, or what no other program is expected to have; with `OPTIONGRAPH_` in front, it is read too.
   */
  readonly variable?: string | null;
  /** What the setting does, in Markdown, without a full stop. */
  readonly help: string;
  /** The default in words, where the value itself does not explain it. */
  readonly defaultText?: string;
  /** Whether the value stays out of output. A secret's variable with `_FILE` names a file that holds it. */
  readonly isSecret?: boolean;
  /** Whether the help of `serve` has it. */
  readonly isCommon?: boolean;
}

/** One setting, derived from its definition. */
export interface Setting extends SettingTraits {
  /** The flag and the placeholder of its value, if it takes one; null for none, as for secrets, which other users could see. */
  readonly flag: string | null;
  /** The place in the configuration file, e.g. `limits.bodySize`. */
  readonly key: string;
  /** The title of its group; null for settings outside of groups. */
  readonly title: string | null;
  /** The name of the variable for documents. */
  readonly variable: string | null;
  /** The names of its variables. The first that is set counts. */
  readonly variables: readonly string[];
  /** The type of its value in the configuration file. */
  readonly type: 'string' | 'integer' | 'boolean' | 'array';
  /** The default in the form of the configuration file. */
  readonly default: unknown;
  /** The words that it accepts, for completion. */
  readonly words: readonly string[];
}

const defined = z.registry<SettingTraits & Pick<Setting, 'flag'>>();

/** Defines a setting with a type, a default and a flag, if it has one. */
export function setting<T extends z.ZodType>(type: T, flag: string | null, traits: SettingTraits): T {
  const described = type.meta({ description: plain(traits.help) });
  defined.add(described, { ...traits, flag });
  return described;
}

/** A type whose default is null. */
export const optional = <T extends z.ZodType>(type: T) => type.nullable().default(null);

/** Defines settings that belong together. Their keys are the key of the group and their own. */
export function group<T extends z.ZodRawShape>(shape: T, title: string) {
  const settings = z
    .strictObject(shape, {
      error: ({ code }) => (code === 'invalid_type' ? 'must be a group of settings' : undefined),
    })
    .meta({ title });
  // An absent group is an empty one, so that the defaults within apply.
  return settings.prefault({} as z.input<typeof settings>);
}

/** Lists the settings of a definition in their order. */
export function settingsOf(
  definition: z.ZodObject,
  path: readonly string[] = [],
  title: string | null = null,
): readonly Setting[] {
  return Object.entries(definition.shape).flatMap(([name, field]) => {
    const inner = field instanceof z.ZodPrefault ? field.unwrap() : field;
    const here = [...path, name];
    if (inner instanceof z.ZodObject) return settingsOf(inner, here, inner.meta()?.title ?? title);
    const traits = field instanceof z.ZodType ? defined.get(field) : undefined;
    if (traits === undefined) return [];
    const { flag, variable = variableOf(flag ?? here.join('-')) } = traits;
    const key = here.join('.');
    return { ...traits, ...readType(field), key, title, variable, variables: namesOf(variable) };
  });
}

/** Describes the default of a setting, in Markdown. */
export function describeDefault({ default: value, defaultText }: Setting): string {
  if (defaultText !== undefined) return defaultText;
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'none';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  // Not by a locale, which would take a start of the program ten milliseconds to load.
  return typeof value === 'number' ? String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',') : `\`${value}\``;
}

/** Removes Markdown from a help text, for terminals and editors. */
export const plain = (text: string): string => text.replaceAll('`', '');

/** The beginning of the names of variables that no other program has. */
export const PREFIX = 'OPTIONGRAPH_';

/** @param name A flag, or a key with hyphens. */
const variableOf = (name: string): string =>
  PREFIX +
  name
    .replace(/^--| .*/g, '')
    .replaceAll(/[A-Z]/g, '_$&')
    .replaceAll('-', '_')
    .toUpperCase();

function namesOf(variable: string | null): readonly string[] {
  if (variable === null) return [];
  if (variable.startsWith(PREFIX)) return [variable];
  // Like curl, which writes the variables of proxies in lower case first.
  const shared = variable.endsWith('_PROXY') ? [variable.toLowerCase(), variable] : [variable];
  return [PREFIX + variable, ...shared];
}

function readType(field: z.ZodType): Pick<Setting, 'type' | 'default' | 'words'> {
  let schema: z.core.JSONSchema.BaseSchema = z.toJSONSchema(field, { io: 'input' });
  const hasDefault = field instanceof z.ZodDefault || field instanceof z.ZodPrefault;
  const fallback = hasDefault ? field.def.defaultValue : null;
  while (schema.type === undefined && typeof schema.anyOf?.[0] === 'object') schema = schema.anyOf[0];
  const words = schema.type === 'boolean' ? ['on', 'off'] : (schema.enum?.map(String) ?? []);
  return { type: schema.type as Setting['type'], default: fallback, words };
}
