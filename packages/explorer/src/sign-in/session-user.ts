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

interface DescribedType {
  readonly name?: string | null;
  readonly ofType?: DescribedType | null;
  readonly fields?: readonly { readonly name: string; readonly type: DescribedType }[] | null;
}

const SESSION_TYPE = `{ __type(name: "CallerSession") { fields { name type {
  fields { name type { name ofType { name } } }
} } } }`;

/** Fields that say what rights a user has, the most telling one first. */
const ROLES = ['role', 'level'];
const SCALARS = ['String', 'Int', 'SafeInt'];

/** Fetches the user of the session; null where the schema has none. */
export async function fetchUser(query: Query): Promise<SessionUser | null> {
  const { __type: type } = await query<{ __type: DescribedType | null }>(SESSION_TYPE);
  const fields = type?.fields?.find(({ name }) => name === 'user')?.type.fields;
  if (!fields) return null;
  const isScalar = ({ name, ofType }: DescribedType): boolean => SCALARS.includes(name ?? ofType?.name ?? '');
  const roleField = ROLES.find((name) => fields.some((field) => field.name === name && isScalar(field.type)));
  const label = fields.some(({ name }) => name === 'label') ? 'label' : 'id';
  const selection = roleField === undefined ? '' : `role: ${roleField}`;
  const { session } = await query<{
    session: { user: { label: unknown; role?: string | number | null } | null };
  }>(`{ session { user { label: ${label} ${selection} } } }`);
  if (session.user === null) return null;
  const { role = null } = session.user;
  return {
    label: String(session.user.label),
    role: typeof role === 'number' ? `${roleField} ${role}` : role,
  };
}
