import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { onServer } from '../suite/global-setup.ts'
import { untilDone } from '../until.ts'

/**
 * Starts PgBouncer in transaction mode before the database of a URL, with fewer connections than its clients have.
 * `ignores` are settings of a connection's first message that it accepts and drops.
 */
export async function startPgbouncer(
  databaseUrl: string,
  ignores: readonly string[] = [],
): Promise<AsyncDisposable & { url: string }> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'svc-pgbouncer-'))
  const ownPort = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const target = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`
  writeFileSync(
    file,
    `[databases]
${pathname.slice(1)} = ${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
ignore_startup_parameters = ${['extra_float_digits', ...ignores].join(',')}
`,
    { mode: 0o644 },
  )
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) execFileSync('chown', ['-R', 'postgres', folder])
  const command = [...(isRoot ? ['runuser', '-u', 'postgres', '--'] : []), 'pgbouncer', file]
  const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'ignore', 'pipe'], cwd: tmpdir() })
  const output: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const exit = once(child, 'close')
  const url = new URL(databaseUrl)
  url.port = String(ownPort)
  const ended = exit.then(() => Promise.reject(new Error(`PgBouncer ended:\n${output.join('')}`)))
  await Promise.race([untilDone(() => onServer(url.href, 'select 1')), ended])
  ended.catch(() => undefined)
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await exit
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
