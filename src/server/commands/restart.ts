import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '#contract/core/errors.ts'
import { readSettings } from '../config/config.ts'
import type { Environment } from '../config/reader.ts'
import { askServer } from '../process/control-socket.ts'

const BETWEEN_MS = 100
const LIMIT_MS = 120_000

/** Restarts the server on an embedded data folder, and returns when it has begun again. Its apps go on. */
export async function restartServer(env: Environment, print: (line: string) => void): Promise<void> {
  const { dataDir, databaseUrl } = readSettings(env)
  if (databaseUrl !== undefined) {
    throw new ServiceError(
      'INVALID_REQUEST',
      'svc-server restart is for a server on an embedded data folder. With DATABASE_URL, restart the service where you ' +
        'started it. Apps go on if svc-server keeper runs as a service of its own.',
    )
  }
  const before = sinceOf(dataDir)
  if (!(await askServer(dataDir, { do: 'restart' }))) {
    throw new ServiceError('CONFLICT', `No server answers at ${dataDir}: none runs, or it is starting or stopping.`)
  }
  const deadline = performance.now() + LIMIT_MS
  while (sinceOf(dataDir) === before) {
    if (performance.now() > deadline) {
      throw new ServiceError('INTERNAL', 'The server has not begun again within two minutes. See what it prints.')
    }
    await delay(BETWEEN_MS)
  }
  print('The server has begun again, with the variables of its former start. Apps went on meanwhile.')
}

/** When the process that has the data folder began. */
function sinceOf(dataDir: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(dataDir, 'lock.json'), 'utf8')) as { since: string }).since
  } catch {
    return undefined
  }
}
