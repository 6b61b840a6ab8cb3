// Defines the resource of users.
import { index, show } from '../actions/actions.ts';
import { visibleToOwner } from '../domain/access.ts';
import type { ResourceDefinition } from '../engine/definition.ts';
import { boolean, choice, datetime, integer, string } from '../engine/parameters.ts';

/** The lifecycle state of an object. */
export const objectState = choice(
  {
    active: 'Active',
    suspended: 'Suspended',
    soft_delete: 'Soft delete',
    hard_delete: 'Hard delete',
    deleted: 'Deleted',
  },
  { label: 'Object state' },
);

/** Users. An ordinary user sees only their own row. */
export const user: ResourceDefinition = {
  description: 'Manage users',
  table: 'users',
  isVisible: visibleToOwner('id'),
  output: {
    id: integer({ label: 'User ID' }),
    login: string({ label: 'Login' }),
    full_name: string({ label: 'Full name', description: 'First and last name' }),
    email: string({ label: 'E-mail' }),
    time_zone: string({
      label: 'Time zone',
      description: 'IANA time zone identifier, e.g. Europe/Prague',
      nullable: true,
    }),
    level: integer({ label: 'Access level' }),
    info: string({ label: 'Info', role: 'admin' }),
    mailer_enabled: boolean({ label: 'Enabled mailer', default: true }),
    last_activity_at: datetime({ label: 'Last activity' }),
    created_at: datetime({ label: 'Created at' }),
    object_state: objectState,
  },
  actions: {
    index: index({
      description: 'List users',
      filters: {
        login: { parameter: string({ label: 'Login', role: 'admin' }) },
        object_state: { parameter: { ...objectState, role: 'admin' } },
      },
    }),
    current: {
      description: 'Get user that is authenticated during this request',
      route: '/current',
      execute: ({ store, caller }) => ({
        ok: true,
        items: store.rows('users').filter((row) => row.id === caller?.id),
      }),
    },
    show: show(),
  },
};
