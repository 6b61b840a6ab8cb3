// Joins the other replicas of the deployment, if Redis is configured.
import type { ServeConfig } from '../../config/serve-settings.ts';
import { LocalDeployment } from '../../replicas/local-replicas.ts';
import type { Replicas } from '../../replicas/replicas.ts';
import type { Observer } from '../../telemetry/observer.ts';

/** Joins the replicas that share through Redis. Without Redis, its client is not loaded, and this replica is the only one. */
export async function openReplicas(
  { redis: { address, ca, prefix }, oauth }: Pick<ServeConfig, 'redis' | 'oauth'>,
  observer: Observer,
): Promise<Replicas> {
  if (address === null) return new LocalDeployment().join();
  const { joinRedisReplicas } = await import('../../replicas/redis-replicas.ts');
  return joinRedisReplicas({ address, ca, prefix, secrets: oauth.sessionSecret ?? [], observer });
}
