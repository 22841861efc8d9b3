import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Writes a small file of this user that others see whole or not at all. If the disk is full, throws and leaves what was
 * there before.
 */
export function writeWhole(file: string, text: string): void {
  const next = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(next, text, { mode: 0o600, flag: 'wx' })
    renameSync(next, file)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
}
