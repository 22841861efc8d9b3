import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const Saved = z.object({
  line: z.string(),
  gaps: z.array(z.object({ message: z.string(), action: z.string() })),
})
type Saved = Readonly<z.infer<typeof Saved>>

const NAME = 'app-limits.json'

/**
 * Writes down which limits of apps hold, for `svc-server doctor`: another process can be in other control groups, and would
 * have to change them to find out. Undefined: this process runs no apps.
 */
export function saveAppLimits(
  dataDir: string,
  limits: { line: string; gaps: readonly { message: string; action: string }[] } | undefined,
): void {
  const file = join(dataDir, NAME)
  if (limits === undefined) {
    rmSync(file, { force: true })
    return
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(file, JSON.stringify(limits), { mode: 0o600 })
}

/** Returns what the last start of a server found, or undefined. */
export function readAppLimits(dataDir: string): Saved | undefined {
  try {
    return Saved.safeParse(JSON.parse(readFileSync(join(dataDir, NAME), 'utf8'))).data
  } catch {
    return undefined
  }
}
