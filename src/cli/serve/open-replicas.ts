// Joins the other replicas of the deployment, if Redis is configured.
import type { ServeConfig } from '../../config/serve-settings.ts';
import type { Replicas } from '../../replicas/replicas.ts';
import type { Observer } from '../../telemetry/observer.ts';

/** Joins the replicas that share through Redis. Null without Redis; its client is not loaded then. */
export async function openReplicas(
  { redis: { address, ca, prefix }, oauth }: Pick<ServeConfig, 'redis' | 'oauth'>,
  observer: Observer,
): Promise<Replicas | null> {
  if (address === null) return null;
  const { joinRedisReplicas } = await import('../../replicas/redis-replicas.ts');
  return joinRedisReplicas({ address, ca, prefix, secrets: oauth.sessionSecret ?? [], observer });
}
