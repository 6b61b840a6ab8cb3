import type { Row } from './row.ts';

/** A parameter's default. */
export interface Default {
  readonly action: string;
  readonly parameter: string;
  readonly value: boolean | number | string;
}

const of = (action: string, values: Readonly<Record<string, Default['value']>>): readonly Default[] =>
  Object.entries(values).map(([parameter, value]) => ({ action, parameter, value }));

const properties = {
  atime: false,
  compression: true,
  recordsize: 131_072,
  quota: 0,
  refquota: 0,
  relatime: false,
  sync: 'standard',
};

/** Defaults of what a write makes, by action: the row that it makes holds them. */
export const heldDefaults: readonly Default[] = [
  ...of('dataset#create', properties),
  ...of('dns_record#create', { enabled: true, dynamic_update_enabled: false }),
];

/** Defaults of an update: the API describes them, but what nobody sent stays. */
export const updateDefaults: readonly Default[] = of('dataset#update', properties);

/** Defaults that only steer the call. */
export const callDefaults: readonly Default[] = [
  ...of('dataset#create', { automount: false }),
  ...of('dataset#migrate', {
    rsync: false,
    restart_vps: false,
    optional_maintenance_window: true,
    cleanup_data: true,
    send_mail: true,
  }),
  ...of('token#request', { scope: 'all', interval: 300 }),
  ...of('debug#array_top', { limit: 10 }),
  ...of('debug#hash_top', { limit: 10 }),
  ...of('dataset.property_history#index', { limit: 25 }),
  ...of('action_state#index', { order: 'newest' }),
];

/** The title of a default's test. */
export const defaultTitle = ({ action, parameter, value }: Default): string =>
  action === 'dataset#update'
    ? `${action} leaves ${parameter} as it is, whatever its default`
    : `${action} takes ${parameter} to be ${value}`;

/** The defaults as rows. */
export const defaultRows: readonly Row[] = [...heldDefaults, ...updateDefaults, ...callDefaults].map(
  (row) => ({
    id: `${row.action} ${row.parameter} default`,
    what: `default \`${row.value}\``,
    where: `reference / ${row.action.split('#')[0]}`,
    test: defaultTitle(row),
  }),
);
