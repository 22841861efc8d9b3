import { Gauge, type Registry } from 'prom-client'

/** Registers a value without labels, and returns the function that sets it. */
export function createGauge(registry: Registry, name: string, help: string): (value: number) => void {
  const gauge = new Gauge({ name, help, registers: [registry] })
  return (value) => gauge.set(value)
}
