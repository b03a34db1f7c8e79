import type { Exporter } from './exporter.ts';
import { trajectoryExporter } from './hud/trajectory-exporter.ts';

/** All formats that runs are exported to. */
export const EXPORTERS: readonly [Exporter, ...Exporter[]] = [trajectoryExporter];
