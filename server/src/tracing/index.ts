export { startExporter } from './exporter.ts'
export { RunTraces, type TracedCall } from './run-traces.ts'
