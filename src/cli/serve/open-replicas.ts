// Joins the other replicas of the deployment: those that use the same Redis, or the other workers of this machine.
import type { ServeConfig } from '../../config/serve-settings.ts';
import { LocalDeployment } from '../../sharing/local-replicas.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import type { Observer } from '../../telemetry/observer.ts';

/**
 * Joins the replicas that share through Redis. Without Redis, its client is not loaded, and there are no other replicas but workers.
 * @param workers The other workers; null for none.
 */
export async function openReplicas(
  { redis: { address, ca, prefix }, oauth }: Pick<ServeConfig, 'redis' | 'oauth'>,
  observer: Observer,
  workers: Replicas | null,
): Promise<Replicas> {
  if (address === null) return workers ?? new LocalDeployment().join();
  const { joinRedisReplicas } = await import('../../sharing/redis-replicas.ts');
  return joinRedisReplicas({ address, ca, prefix, secrets: oauth.sessionSecret ?? [], observer });
}
