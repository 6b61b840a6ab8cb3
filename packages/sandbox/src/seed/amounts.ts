// Creates the seed rows of cluster resource packages, their items, and default amounts.
import { type SeedRow, timeAfter } from './random.ts';

/** The amount of a cluster resource that each user has in each environment: 10 TiB of disk space, little of the others. */
const personalAmount = ({ id, name }: SeedRow) => (name === 'diskspace' ? 10 * 1024 * 1024 : id * 16);

/** The packages without an owner, each with the factor of its amounts relative to the smallest package. */
const SHARED_PACKAGES = [
  ['Basic', 1],
  ['Standard', 2],
  ['Plný balíček', 4],
  ['サーバー 🚀', 8],
] as const;

/** Seeds packages of cluster resources, their items, and the default amounts of new objects. */
export function seedAmounts(base: Readonly<Record<string, readonly SeedRow[]>>) {
  const { users = [], environments = [], cluster_resources: resources = [] } = base;
  const packages: SeedRow[] = [];
  const items: SeedRow[] = [];

  function addPackage(columns: Omit<SeedRow, 'id'>, amountFor: (resource: SeedRow) => number): void {
    const id = packages.length + 1;
    packages.push({ id, ...columns, created_at: timeAfter(30_000 + id), updated_at: timeAfter(31_000 + id) });
    for (const resource of resources) {
      const amount = { cluster_resource: resource.id, value: amountFor(resource) };
      items.push({ id: items.length + 1, cluster_resource_package: id, ...amount });
    }
  }

  for (const [label, factor] of SHARED_PACKAGES) {
    addPackage({ label, environment: null, user: null }, ({ id }) => id * 1024 * factor);
  }
  for (const user of users) {
    for (const environment of environments) {
      const label = `Personal package: ${user['login']} in ${environment['label']}`;
      addPackage({ label, environment: environment.id, user: user.id }, personalAmount);
    }
  }

  const defaults = environments.flatMap((environment) =>
    ['User', 'Vps'].flatMap((class_name) =>
      resources.map((resource) => ({
        environment: environment.id,
        cluster_resource: resource.id,
        class_name,
        value: class_name === 'User' ? personalAmount(resource) : resource.id,
      })),
    ),
  );
  return {
    cluster_resource_packages: packages,
    package_items: items,
    default_object_cluster_resources: defaults.map((row, index) => ({ id: index + 1, ...row })),
  };
}
