// The command `serve` with several workers: the primary, which shares the socket and what the workers know.
import type { ServeConfig } from '../../../config/serve-settings.ts';
import { createMetricsOfAll } from '../../../telemetry/metrics/metrics.ts';
import { openMetricsServer } from '../../../transports/http/serve-metrics.ts';
import { onStopSignal, outliveReader } from '../../process.ts';
import { openLog } from '../open-log.ts';
import { WorkerGroup } from './worker-group.ts';

/** Runs workers until a signal stops the process or no worker is left. */
export async function runWorkers(config: ServeConfig): Promise<void> {
  outliveReader();
  const { log } = openLog(config);
  const collected = createMetricsOfAll(() => group.series());
  const group = new WorkerGroup(config.workers, log, collected.text);
  const { host, port } = config.metrics;
  const metricsServer = port === null ? null : await openMetricsServer(collected, { host, port });
  if (metricsServer !== null) log.info(`Metrics: ${metricsServer.url}`, { event: 'start' });
  process.on('exit', () => group.kill());
  onStopSignal(async () => group.stop());
  process.on('SIGHUP', () => group.reload());
  group.start();
  process.exitCode = await group.ended;
  await metricsServer?.close();
}
