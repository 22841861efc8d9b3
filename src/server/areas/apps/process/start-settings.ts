import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeWhole } from '#lib/files/write-whole.ts'
import type { AppOptions } from './sandbox/sandboxes.ts'

/** Settings of svc itself that an instance has from its start to its end. */
export type StartSettings = Pick<AppOptions, 'memoryBytes' | 'limits' | 'apiOrigin' | 'mayBeUnsandboxed'>

/** Saves the settings that an instance is started with, for the servers that find it later. */
export async function saveSettings(file: string, settings: StartSettings): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  writeWhole(file, textOf(settings))
}

/** Whether an instance runs with other settings. False where nobody knows, as for one that a former release started. */
export async function hasOtherSettings(file: string, settings: StartSettings): Promise<boolean> {
  const saved = await readFile(file, 'utf8').catch(() => undefined)
  return saved !== undefined && saved !== textOf(settings)
}

function textOf({ memoryBytes, limits, apiOrigin, mayBeUnsandboxed }: StartSettings): string {
  const { tmpfsBytes, processes, openFiles, organization } = limits
  return JSON.stringify({ memoryBytes, tmpfsBytes, processes, openFiles, organization, apiOrigin, mayBeUnsandboxed })
}
