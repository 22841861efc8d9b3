import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Returns the port of an earlier start, or undefined when there was none. */
export function readPort(file: string): number | undefined {
  try {
    const text = readFileSync(file, 'utf8')
    return /^\d{1,5}$/.test(text) ? Number(text) : undefined
  } catch {
    return undefined
  }
}

export function writePort(file: string, port: number): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, String(port), { mode: 0o600 })
}
