import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** Runs a script with psql in one transaction, which ends at its first error. The embedded engine answers meanwhile. */
export async function runPsql(connectionString: string, script: string) {
  const args = ['-Xq', '-v', 'ON_ERROR_STOP=1', '--single-transaction', '-o', '/dev/null', '-f', '-', connectionString]
  const child = spawn('psql', args, { stdio: ['pipe', 'ignore', 'pipe'] })
  child.stdin.on('error', () => undefined).end(script)
  const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { status: status as number | null, stderr }
}
