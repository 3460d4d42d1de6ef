// Connects to the collector, if one is set.
import { NO_TELEMETRY, type Telemetry, type TelemetrySettings } from './telemetry.ts';

/** The packages of OpenTelemetry are loaded here, and only where a collector is set. */
export async function openTelemetry(
  settings: TelemetrySettings | undefined,
  onTrouble: (message: string) => void = () => {},
): Promise<Telemetry> {
  if (settings === undefined) return NO_TELEMETRY;
  const { connectCollector } = await import('./otlp.ts');
  return connectCollector(settings, onTrouble);
}
