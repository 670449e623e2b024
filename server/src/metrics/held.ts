// What clients hold of this process right now. Both come back to zero when nobody asks for anything: a value that stays is a leak.
import { Gauge, type Registry } from 'prom-client'

export type RequestSource = {
  slots(): Record<string, number>
  bytes(): Record<string, number>
}

export function addHeldMetrics(registry: Registry, source: RequestSource): void {
  const registers = [registry]
  new Gauge({
    name: 'patchbay_slots_in_use',
    help: 'Slots that requests, streams, uploads, downloads, assistants and waits for results hold.',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const [kind, count] of Object.entries(source.slots())) this.set({ kind }, count)
    },
  })
  new Gauge({
    name: 'patchbay_held_bytes',
    help: 'Bytes of bodies that are not yet answered, and of responses that are not yet read.',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const [kind, bytes] of Object.entries(source.bytes())) this.set({ kind }, bytes)
    },
  })
}
