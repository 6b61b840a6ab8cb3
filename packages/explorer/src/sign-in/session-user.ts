// Finds out who the signed-in user is, where the API can say so.

/** Who is signed in. */
export interface SessionUser {
  /** Usually a login. */
  readonly label: string;
  /** The user's rights as the API names them; null where it does not. */
  readonly role: string | null;
}

/** Executes an operation, and returns its data. Rejects when there are errors. */
export type Query = <Data>(query: string, variables?: object) => Promise<Data>;

interface NamedField {
  readonly name: string;
}
interface SessionType {
  readonly __type: {
    readonly fields: (NamedField & { type: { fields: (NamedField & { type: NamedType })[] | null } })[];
  } | null;
}
interface NamedType {
  readonly name: string | null;
  readonly ofType: { readonly name: string | null } | null;
}

const SESSION_TYPE = `{ __type(name: "CallerSession") { fields { name type {
  fields { name type { name ofType { name } } }
} } } }`;

/** Fields that say what rights a user has, the most telling one first. */
const ROLES = ['role', 'level'];
const SCALARS = ['String', 'Int', 'SafeInt'];

/** Fetches the user of the session; null where the schema has none. */
export async function fetchUser(query: Query): Promise<SessionUser | null> {
  const { __type: session } = await query<SessionType>(SESSION_TYPE);
  const fields = session?.fields.find(({ name }) => name === 'user')?.type.fields;
  if (!fields) return null;
  const isScalar = ({ type }: { type: NamedType }): boolean =>
    SCALARS.includes(type.name ?? type.ofType?.name ?? '');
  const role = ROLES.find((name) => fields.some((field) => field.name === name && isScalar(field)));
  const label = fields.some(({ name }) => name === 'label') ? 'label' : 'id';
  const selection = role === undefined ? label : `${label} ${role}`;
  const { session: answer } = await query<{ session: { user: Record<string, unknown> | null } }>(
    `{ session { user { ${selection} } } }`,
  );
  if (answer.user === null) return null;
  const given = role === undefined ? null : answer.user[role];
  return {
    label: String(answer.user[label]),
    role:
      given === null || given === undefined
        ? null
        : typeof given === 'number'
          ? `${role} ${given}`
          : String(given),
  };
}
