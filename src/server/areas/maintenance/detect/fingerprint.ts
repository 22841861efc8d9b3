import { hash } from 'node:crypto'
import type { Detected } from './detectors.ts'

/** Identifies a fault over many nights: line numbers, counts and words of a model are no part of it. */
export function fingerprintOf({ kind, path, symbol, template }: Omit<Detected, 'summary'>): string {
  return hash('sha256', JSON.stringify([kind, path, symbol, template]))
}
