import { type Draft, time } from './random.ts';

/** What a user has of a cluster resource in an environment: 10 TiB of disk space, and little of anything else. */
const personal = ({ id, name }: Draft) => (name === 'diskspace' ? 10 * 1024 * 1024 : id * 16);

/** Packages for all to use, and how many times the smallest amount each holds. */
const shared = [
  ['Basic', 1],
  ['Standard', 2],
  ['Plný balíček', 4],
  ['サーバー 🚀', 8],
] as const;

/** Packages of cluster resources, and what objects have of each by default. */
export function seedAmounts(base: Readonly<Record<string, readonly Draft[]>>) {
  const { users = [], environments = [], cluster_resources: resources = [] } = base;
  const packages: Draft[] = [];
  const items: Draft[] = [];

  function add(columns: Omit<Draft, 'id'>, amountOf: (resource: Draft) => number): void {
    const id = packages.length + 1;
    packages.push({ id, ...columns, created_at: time(30_000 + id), updated_at: time(31_000 + id) });
    for (const resource of resources) {
      const amount = { cluster_resource: resource.id, value: amountOf(resource) };
      items.push({ id: items.length + 1, cluster_resource_package: id, ...amount });
    }
  }

  for (const [label, times] of shared) {
    add({ label, environment: null, user: null }, ({ id }) => id * 1024 * times);
  }
  for (const user of users) {
    for (const environment of environments) {
      const label = `Personal package: ${user['login']} in ${environment['label']}`;
      add({ label, environment: environment.id, user: user.id }, personal);
    }
  }

  const defaults = environments.flatMap((environment) =>
    ['User', 'Vps'].flatMap((class_name) =>
      resources.map((resource) => ({
        environment: environment.id,
        cluster_resource: resource.id,
        class_name,
        value: class_name === 'User' ? personal(resource) : resource.id,
      })),
    ),
  );
  return {
    cluster_resource_packages: packages,
    package_items: items,
    default_object_cluster_resources: defaults.map((row, index) => ({ id: index + 1, ...row })),
  };
}
